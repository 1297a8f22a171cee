import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { isDatabaseUnavailable } from '../database/sql-errors.ts'
import { statement } from '../database/statement.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import type { Context } from '../http/context.ts'
import { servedResource } from './call.ts'
import { createLinePacker } from './export-lines.ts'
import { exportStreams, mayReadSql, nextStream, readableChildrenSql } from './export-streams.ts'
import type { ExportStream } from './export-streams.ts'
import { operationOutcome } from './outcome.ts'
import { ALWAYS } from './period.ts'
import { patientId, readPlace, writePlace } from './search-parameters.ts'
import { createSearchSource } from './search.ts'
import type { Found, Source } from './search.ts'
import { repeatUntilStopped } from '../time/repeat.ts'

/** The event loop waits while the resources of a step are made. */
const RESOURCES_AT_ONCE = 100
const CHILDREN_AT_ONCE = 200
/** Of a file; a step may add some more. */
const MOST_LINES = 50_000
/** A process that says nothing for this time is taken for dead. */
const CLAIM_SECONDS = 30
/** After this time another export may have its turn. */
const TURN_MS = 2000
const POLL_MS = 1000
const RETRY_SECONDS = 2
/** Then what cannot be read is left out, and the export says so. */
const MOST_ATTEMPTS = 5

/** The type of the lines that say what could not be exported. */
export const ERROR_TYPE = 'OperationOutcome'
/** How long files are kept, in SQL. */
export const EXPORT_RETENTION_SQL = `interval '24 hours'`

/** Where an export goes on. */
interface Position {
  /** The name of a stream. */
  stream: string
  /** The first child whose records are read. */
  child: number
  /** The place behind which they are. */
  place: string | null
  file: number
  lines_of_file: number
}

interface Claimed extends Position {
  id: string
  base: string
  types: string[]
  scopes: string[]
  since: string | null
  client_id: number
  attempts: number
}

const claim = statement<Claimed>(
  'fhir-export-claim',
  `UPDATE fhir_export e SET claim = $1, claimed_until = now() + $2 * interval '1 second', attempts = attempts + 1
   WHERE id = (
     SELECT d.id FROM fhir_export d JOIN client c ON c.id = d.client_id AND c.blocked_at IS NULL
     WHERE d.state = 'running' AND d.claimed_until <= now() AND d.expires_at > now()
     ORDER BY d.claimed_until LIMIT 1 FOR UPDATE OF d SKIP LOCKED)
   RETURNING id, base, types, scopes, ${isoTimestampSql('since')} AS since, client_id, attempts, stream, child, place, file, lines_of_file`,
)

const release = statement<never>(
  'fhir-export-release',
  `UPDATE fhir_export SET claimed_until = now() + $3 * interval '1 second', attempts = greatest(0, attempts - $4::int)
   WHERE id = $1 AND claim = $2 AND state = 'running'`,
)

const selectChildren = statement<{ id: number }>(
  'fhir-export-children',
  `SELECT DISTINCT c.real_user_id AS id ${readableChildrenSql('$1', '$2')} AND c.real_user_id >= $3
   ORDER BY 1 LIMIT $4`,
)

// One statement: lines are stored with the place behind them, or neither is, also where another process has taken over meanwhile.
const store = statement<{ is_mine: true }>(
  'fhir-export-store',
  `WITH moved AS (
     UPDATE fhir_export SET stream = coalesce($3, stream), child = $4, place = $5, file = $6, lines_of_file = $7,
       lines = lines + $8, parts = parts + cardinality($11::int[]), attempts = 0,
       claimed_until = now() + $14 * interval '1 second',
       state = CASE WHEN $3::text IS NULL THEN 'complete' ELSE 'running' END,
       expires_at = CASE WHEN $3::text IS NULL THEN now() + ${EXPORT_RETENTION_SQL} ELSE expires_at END
     WHERE id = $1 AND claim = $2 AND state = 'running' RETURNING id, client_id, parts - cardinality($11::int[]) AS before
   ), added AS (
     INSERT INTO fhir_export_part (export_id, type, file, number, real_user_id, scope, lines, content)
     SELECT m.id, $9, $15, m.before + p.n, p.child, $10, p.lines, p.content
     FROM moved m, unnest($11::int[], $12::int[], $13::text[]) WITH ORDINALITY AS p (child, lines, content, n)
     WHERE ${mayReadSql('m.client_id', 'p.child', '$10')}
   )
   SELECT true AS is_mine FROM moved`,
)

/** The lines of a step by the child that they are about. */
function linesByChild(found: readonly Found[]): Map<number, string[]> {
  const lines = new Map<number, string[]>()
  for (const { made, children } of found) {
    const [child] = children
    if (child === undefined) continue
    const own = lines.get(child) ?? []
    own.push(JSON.stringify(servedResource(made)))
    lines.set(child, own)
  }
  return lines
}

interface Exporting extends Pick<Context, 'database' | 'fhirSystem' | 'timeZone'> {
  log: Logger
}

interface Read {
  found: Found[]
  /** Null when the stream is over. */
  next: Pick<Position, 'child' | 'place'> | null
}

/** Reads what comes next in the stream; `isCareful` of one child alone. */
async function readStep(
  { source, claimed, isCareful }: { source: Source; claimed: Claimed; isCareful: boolean },
  { type, scope }: ExportStream,
): Promise<Read> {
  const { since, place, client_id, child } = claimed
  const most = type.isOfSeveral ? null : isCareful ? 1 : CHILDREN_AT_ONCE
  const rows = await source.database.query(selectChildren, [client_id, scope, child, most])
  const scopes = new Set([scope])
  const last = rows.at(-1)
  if (!last) return { found: [], next: null }
  const { found, next } = await type.find(source, {
    children: rows.map(({ id }) => ({ id, scopes })),
    ownAccount: undefined,
    ids: undefined,
    updated: since === null ? undefined : { from: since, until: 'infinity' },
    dates: ALWAYS,
    admits: () => true,
    after: place === null ? undefined : readPlace(place, type),
    limit: RESOURCES_AT_ONCE,
  })
  if (next) return { found, next: { child: next[0], place: writePlace(next) } }
  return { found, next: rows.length === most ? { child: last.id + 1, place: null } : null }
}

/** Stands in for what cannot be read, of one child, or of all where the stream does not go from child to child. */
async function skipStep({ database }: Source, claimed: Claimed, { type, scope }: ExportStream) {
  const [first] = await database.query(selectChildren, [claimed.client_id, scope, claimed.child, 1])
  if (!first) return { child: 0, line: undefined, next: null }
  const of = type.isOfSeveral ? 'all children' : `Patient/${patientId(first.id)}`
  return {
    child: first.id,
    line: JSON.stringify(operationOutcome(500, `${type.name} of ${of} could not be exported`)),
    next: type.isOfSeveral ? null : { child: first.id + 1, place: null },
  }
}

/** Where the export goes on after a step; null if that was the last one. */
function positionAfter(
  claimed: Claimed,
  { type }: ExportStream,
  { next, lines }: { next: Read['next']; lines: number },
): Position | null {
  const sum = claimed.lines_of_file + lines
  const { file, lines_of_file } =
    sum < MOST_LINES
      ? { file: claimed.file, lines_of_file: sum }
      : { file: claimed.file + 1, lines_of_file: 0 }
  if (next) return { stream: claimed.stream, ...next, file, lines_of_file }
  const following = nextStream(claimed, claimed.stream)
  if (!following) return null
  const place = following.type === type ? { file, lines_of_file } : { file: 1, lines_of_file: 0 }
  return { stream: following.name, child: 0, place: null, ...place }
}

interface Turn {
  source: Source
  /** The claim. */
  owner: string
  packer: ReturnType<typeof createLinePacker>
}

/** Goes one step on. Resolves to where the export goes on then; null if it is complete, or no longer this process's. */
async function takeStep(
  { source, owner, packer }: Turn,
  claimed: Claimed,
  isCareful: boolean,
): Promise<Position | null> {
  const { database } = source
  const stream = exportStreams.find(({ name }) => name === claimed.stream)
  if (!stream) throw new Error(`An export has no stream ${claimed.stream}`)
  const isSkipped = claimed.attempts > MOST_ATTEMPTS
  let next: Read['next']
  let parts: [child: number, lines: string[]][]
  if (isSkipped) {
    const skipped = await skipStep(source, claimed, stream)
    next = skipped.next
    parts = skipped.line === undefined ? [] : [[skipped.child, [skipped.line]]]
  } else {
    const read = await readStep({ source, claimed, isCareful }, stream)
    next = read.next
    parts = [...linesByChild(read.found)]
  }
  const lines = isSkipped ? 0 : parts.reduce((sum, [, own]) => sum + own.length, 0)
  const after = positionAfter(claimed, stream, { next, lines })
  const contents: string[] = []
  for (const [, own] of parts)
    contents.push(database.keyRing.encrypt('fhir_export_part.content', await packer.pack(own)))
  const [stored] = await database.query(store, [
    claimed.id,
    owner,
    after?.stream ?? null,
    after?.child ?? 0,
    after?.place ?? null,
    after?.file ?? 1,
    after?.lines_of_file ?? 0,
    lines,
    isSkipped ? ERROR_TYPE : stream.type.name,
    stream.scope,
    parts.map(([child]) => child),
    parts.map(([, own]) => own.length),
    contents,
    CLAIM_SECONDS,
    isSkipped ? 1 : claimed.file,
  ])
  return stored ? after : null
}

/** Goes on with one export for its turn. */
async function takeTurn(
  exporting: Exporting,
  claimed: Claimed,
  owner: string,
  signal?: AbortSignal,
): Promise<void> {
  const { database, log } = exporting
  const turn = { source: createSearchSource(exporting, claimed.base), owner, packer: createLinePacker() }
  const until = performance.now() + TURN_MS
  // A process may have died of what comes next.
  let isCareful = claimed.attempts > 1
  let at = claimed
  const isOver = () => signal?.aborted === true || performance.now() >= until
  try {
    while (!isOver()) {
      const after = await takeStep(turn, at, isCareful).catch((error: unknown) => {
        if (isCareful || isDatabaseUnavailable(error)) throw error
        // By reading child by child it turns out of which one it cannot be read.
        isCareful = true
        return at
      })
      if (!after) return
      at = after === at ? at : { ...at, ...after, attempts: 0 }
    }
    await database.query(release, [claimed.id, owner, 0, 1])
  } catch (error) {
    const { id, attempts } = at
    log.warn({ err: error, export_id: id, attempts }, 'export not continued, will retry')
    const isOfDatabase = isDatabaseUnavailable(error)
    const wait = RETRY_SECONDS * 2 ** attempts
    await database.query(release, [id, owner, isOfDatabase ? RETRY_SECONDS : wait, isOfDatabase ? 1 : 0])
  } finally {
    turn.packer.close()
  }
}

/** Goes on with the export that has waited longest. Resolves to whether there was one that is due. */
export async function continueExport(exporting: Exporting, signal?: AbortSignal): Promise<boolean> {
  const owner = randomUUID()
  const [claimed] = await exporting.database.query(claim, [owner, CLAIM_SECONDS])
  if (claimed) await takeTurn(exporting, claimed, owner, signal)
  return claimed !== undefined
}

/**
 * Makes the files of exports until stopped; `stop` waits for the step that is under way. Any number of processes may do so together: each
 * export is gone on with by one of them, and by another one when that one has died.
 */
export function startExporting(exporting: Exporting): { stop: () => Promise<void> } {
  return repeatUntilStopped((signal) => continueExport(exporting, signal), {
    pauseMs: POLL_MS,
    onError: (error) => exporting.log.warn({ err: error }, 'exports not continued, will retry'),
  })
}
