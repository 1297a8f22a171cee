import { isClientCredentialsCaller, insufficientScope } from '../auth/tokens/grant-token.ts'
import { statement } from '../database/statement.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import { FileResponse } from '../http/file-response.ts'
import { acceptsGzip } from '../http/json-response.ts'
import { splitRequestTarget } from '../http/request.ts'
import { ANY_SCOPE } from './call.ts'
import type { FhirCall } from './call.ts'
import { readLines } from './export-lines.ts'
import { readExportParameters } from './export-parameters.ts'
import { mayReadSql, nextStream } from './export-streams.ts'
import { ERROR_TYPE, EXPORT_RETENTION_SQL } from './export-work.ts'
import { reach } from './reach.ts'
import type { Reach } from './reach.ts'
import { servedTypes } from './resource-types.ts'
import { dataScopesOf } from '../http/scope-names.ts'

/*
 * The bulk export of https://hl7.org/fhir/uv/bulkdata/: a service asks for all that it may read, asks again until it is there, and
 * fetches the files. The files are made by export-work.ts.
 */

const NDJSON = 'application/fhir+ndjson'
const ASK_AGAIN_SECONDS = 2
const RUNNING_RETRY_SECONDS = 10
const PARTS_AT_ONCE = 10

// A record that a transaction under way will show later has an earlier time than now: who asks for changes since then gets it. A
// transaction that is open for long is not waited for.
const insertExport = statement<{ id: string }>(
  'fhir-export-begin',
  `INSERT INTO fhir_export (client_id, request, base, types, scopes, since, stream, taken_at, expires_at)
   SELECT $1, $2, $3, $4, $5, $6, $7, least(now(), min(xact_start)), now() + ${EXPORT_RETENTION_SQL}
   FROM pg_stat_activity
   WHERE datname = current_database() AND backend_type = 'client backend' AND xact_start > now() - interval '10 minutes'
   ON CONFLICT (client_id) WHERE state = 'running' DO NOTHING RETURNING id`,
)

interface Export {
  request: string
  taken_at: string
  expires_at: string
  is_complete: boolean
  lines: number
}

// A file takes long to send: a service that is blocked meanwhile gets no more of it.
const LIVE = `e.id = $1 AND e.client_id = $2 AND e.state <> 'cancelled' AND e.expires_at > now()
  AND NOT EXISTS (SELECT FROM client b WHERE b.id = e.client_id AND b.blocked_at IS NOT NULL)`

const selectExport = statement<Export>(
  'fhir-export',
  `SELECT request, ${isoTimestampSql('taken_at')} AS taken_at, ${isoTimestampSql('expires_at')} AS expires_at,
     state = 'complete' AS is_complete, lines
   FROM fhir_export e WHERE ${LIVE}`,
)

interface File {
  type: string
  file: number
  count: number
}

const selectFiles = statement<File>(
  'fhir-export-files',
  `SELECT p.type, p.file, sum(p.lines)::int AS count FROM fhir_export_part p JOIN fhir_export e ON e.id = p.export_id
   WHERE ${LIVE} AND ${mayReadSql('$2', 'p.real_user_id', 'p.scope')}
   GROUP BY p.type, p.file ORDER BY p.type, p.file`,
)

interface Part {
  number: number
  real_user_id: number
  /** Null if no grant in force is for it. */
  content: string | null
}

// Those that may not be read count for the limit: so it reads no more of a file, however many there are.
const selectParts = statement<Part>(
  'fhir-export-parts',
  `SELECT p.number, p.real_user_id, CASE WHEN ${mayReadSql('$2', 'p.real_user_id', 'p.scope')} THEN p.content END AS content
   FROM (
     SELECT * FROM fhir_export_part
     WHERE export_id = (SELECT id FROM fhir_export e WHERE ${LIVE} AND e.state = 'complete')
       AND type = $3 AND file = $4 AND number > $5
     ORDER BY number LIMIT ${PARTS_AT_ONCE}
   ) p ORDER BY p.number`,
)

const cancelExport = statement<{ id: string }>(
  'fhir-export-cancel',
  `UPDATE fhir_export e SET state = 'cancelled', expires_at = now() WHERE ${LIVE} RETURNING id`,
)

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/

interface Service {
  reached: Reach
  /** Its id in the table `client`. */
  clientId: number
  names: ReadonlySet<string>
}

/** The service that calls with a token of its own. Throws 403 for any other token. */
async function requireService({ ctx }: FhirCall): Promise<Service> {
  const reached = await reach(ctx, { operation: 'fhir.export', scope: ANY_SCOPE })
  const { caller } = reached
  if (!caller.granted || !isClientCredentialsCaller(caller)) throw insufficientScope()
  return { reached, clientId: caller.granted.clientId, names: caller.granted.names }
}

const addressOf = ({ base }: FhirCall, id: string) => `${base}/$export/${id}`

/** Begins an export of all that the token opens, of all children, and says where to ask for it. */
export async function beginExport(call: FhirCall): Promise<undefined> {
  const { request, response, ctx, issuer, base } = call
  const { reached, clientId, names } = await requireService(call)
  const asked = await readExportParameters(request)
  const opened = servedTypes.map(({ name }) => name).filter((name) => reached.opens(name))
  const types = asked.types ? [...asked.types] : opened
  const scopes = dataScopesOf(names)
  const first = nextStream({ types, scopes })
  if (!first || types.some((type) => !opened.includes(type))) throw insufficientScope()
  const { path, query } = splitRequestTarget(request)
  const url = `${issuer}${path}${query && '?'}${query}`
  const values = [clientId, url, base, types, scopes, asked.since ?? null, first.name]
  const [begun] = await ctx.database.query(insertExport, values)
  if (!begun)
    throw new Failure(...generic.tooMany, { headers: { 'retry-after': String(RUNNING_RETRY_SECONDS) } })
  response.writeHead(202, { 'content-location': addressOf(call, begun.id) }).end()
}

/** How far an export is, or what it has become (https://hl7.org/fhir/uv/bulkdata/export.html#bulk-data-status-request). */
export async function readExport(call: FhirCall, id: string): Promise<object | undefined> {
  const { response, ctx } = call
  const { clientId } = await requireService(call)
  const [found] = UUID.test(id) ? await ctx.database.query(selectExport, [id, clientId]) : []
  if (!found) throw new Failure(...generic.notFound)
  if (!found.is_complete) {
    const headers = {
      'x-progress': `${found.lines} resources so far`,
      'retry-after': String(ASK_AGAIN_SECONDS),
    }
    response.writeHead(202, headers).end()
    return undefined
  }
  const files = await ctx.database.query(selectFiles, [id, clientId])
  const listed = (isError: boolean) =>
    files
      .filter(({ type }) => (type === ERROR_TYPE) === isError)
      .map(({ type, file, count }) => ({
        type,
        url: `${addressOf(call, id)}/${type}-${file}.ndjson`,
        count,
      }))
  response.setHeader('expires', new Date(found.expires_at).toUTCString())
  return {
    transactionTime: found.taken_at,
    request: found.request,
    requiresAccessToken: true,
    output: listed(false),
    deleted: [],
    error: listed(true),
  }
}

/** Ends an export, and gives its files to nobody any more. */
export async function endExport(call: FhirCall, id: string): Promise<undefined> {
  const { clientId } = await requireService(call)
  const [ended] = UUID.test(id) ? await call.ctx.database.query(cancelExport, [id, clientId]) : []
  if (!ended) throw new Failure(...generic.notFound)
  call.response.writeHead(202).end()
}

/** Sends a file, as far as grants are in force while it is sent. */
export async function sendExportFile(call: FhirCall, id: string, name: string): Promise<undefined> {
  const { response, ctx } = call
  const { reached, clientId } = await requireService(call)
  const [, type, file] = /^([A-Za-z]{1,40})-([1-9]\d{0,8})\.ndjson$/.exec(name) ?? []
  /** The next parts that may be read, with the place behind them; undefined at the end. */
  const next = async (after: number) => {
    for (let place = after; ;) {
      const values = [id, clientId, type, Number(file), place]
      const parts = await ctx.database.query(selectParts, values)
      const last = parts.at(-1)
      if (!last) return undefined
      place = last.number
      const open = parts.flatMap(({ content, real_user_id }) =>
        content === null ? [] : [{ content, real_user_id }],
      )
      if (open.length > 0) return { open, place }
    }
  }
  const first = UUID.test(id) && type !== undefined ? await next(0) : undefined
  if (!first) throw new Failure(...generic.notFound)
  const contents = async function* () {
    for (let page: typeof first | undefined = first; page; page = await next(page.place)) {
      reached.note(
        'fhir.export',
        page.open.map(({ real_user_id }) => real_user_id),
      )
      for (const { content } of page.open)
        yield ctx.database.keyRing.decrypt('fhir_export_part.content', content)
    }
  }
  response.appendHeader('vary', 'Accept-Encoding')
  const isPacked = acceptsGzip(response)
  await new FileResponse({
    name,
    size: undefined,
    bytes: () => readLines(contents(), isPacked),
    headers: isPacked ? { 'content-encoding': 'gzip' } : {},
  }).send(response, NDJSON)
}
