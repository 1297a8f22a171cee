import { appendFile, readFile } from 'node:fs/promises'
import { deriveKeys } from '../auth/keys.ts'
import type { Config } from '../config/config.ts'
import { readTokenSecret } from '../config/token-secret.ts'
import type { Sql } from '../database/database.ts'
import { chains } from '../trail/chain.ts'
import type { ChainKeys } from '../trail/chain.ts'
import {
  readChainEnds,
  findMissingChainEnds,
  readPublication,
  signPublication,
  UnsignedChainEndError,
} from '../trail/publication.ts'
import type { MissingChainEnd, PublicationKeys } from '../trail/publication.ts'
import { requestTimeStamp, TimeStampError, verifyTimeStamp } from '../trail/time-stamp.ts'
import { createCommand, CommandError, printResult, withDatabase } from './program.ts'
import { table } from './table.ts'

const POST_MS = 10_000

/** What is published: a line with a compact JWS, and behind a space the time stamp of that text in base64, if there is one. */
const LINE = /^([\w-]+\.[\w-]+\.[\w-]+)(?: ([A-Za-z0-9+/]+=*))?$/

export const publishCommand = createCommand(
  'publish',
  'sign where the trail and the security record end, for a third party to keep, with a time stamp if TSA_URL is set',
  'trail publish --to /mnt/auditor/trail.heads',
  'trail publish --to https://auditor.example/companion',
)
  .requiredOption(
    '--to <file or URL>',
    'the file that gets another line, or the address that takes it by POST',
  )
  .action(async ({ to, ...options }: { to: string; json?: boolean }) => {
    const { ends, stampedAt } = await withDatabase(async ({ config, database }) => {
      const keys = deriveKeys(await readTokenSecret(config), config)
      const found = await database.transaction((tx) => readChainEnds(tx, keys)).catch(nothingToPublish)
      const jws = await signPublication(keys, found)
      const stamp = config.timeStamps.url === undefined ? undefined : await stampOf(config, jws)
      await handOut(to, stamp ? `${jws} ${stamp.token}` : jws)
      return { ends: found, stampedAt: stamp?.at.toISOString() ?? null }
    })
    const rows = chains.map(({ name }) => [name, ends[name].block, ends[name].hash])
    const stamped = stampedAt === null ? 'without a time stamp' : `with a time stamp of ${stampedAt}`
    printResult(
      { ...ends, stamped_at: stampedAt },
      options,
      [table(['record', 'blocks', 'hash of the last'], rows, ''), `Published ${stamped}`].join('\n'),
    )
  })

function nothingToPublish(error: unknown): never {
  if (!(error instanceof UnsignedChainEndError)) throw error
  throw new CommandError(`${error.message}: run \`companion trail verify\``)
}

async function stampOf({ timeStamps }: Config, jws: string): Promise<{ token: string; at: Date }> {
  const text = new TextEncoder().encode(jws)
  try {
    const token = await requestTimeStamp(timeStamps, text)
    return {
      token: Buffer.from(token).toString('base64'),
      at: await verifyTimeStamp(timeStamps, text, token),
    }
  } catch (error) {
    throw new CommandError(`No time stamp from ${timeStamps.url}: ${reasonOf(error)}`)
  }
}

async function handOut(to: string, line: string): Promise<void> {
  if (!/^https?:/.test(to)) {
    await appendFile(to, `${line}\n`, { flush: true })
    return
  }
  try {
    const response = await fetch(to, {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.timeout(POST_MS),
      headers: { 'content-type': 'text/plain' },
      body: `${line}\n`,
    })
    if (response.ok) return
    throw new Error(`it answered ${response.status}`)
  } catch (error) {
    throw new CommandError(`Not published at ${to}: ${reasonOf(error)}`)
  }
}

/** `fetch` says why it failed in the cause of its error. */
const reasonOf = (error: unknown): string =>
  error instanceof TypeError && error.cause instanceof Error
    ? error.cause.message
    : error instanceof Error
      ? error.message
      : String(error)

/** What is not right with the lines of a file of what was published. */
export interface PublicationIssues {
  /** Lines that this service has not signed, or whose time stamp does not fit, with the reason. */
  unproven: { line: number; reason: string }[]
  missing: MissingChainEnd[]
}

/** Compares what a file says was published with what is there, in the snapshot of `tx`. */
export async function compareWithPublication(
  file: string,
  tx: Sql,
  { keys, config }: { keys: ChainKeys & PublicationKeys; config: Pick<Config, 'timeStamps'> },
): Promise<PublicationIssues> {
  const lines = (await readFile(file, 'utf8')).split(/\r?\n/)
  const compared: PublicationIssues = { unproven: [], missing: [] }
  let proven = 0
  for (const [n, line] of lines.entries()) {
    if (line.trim() === '') continue
    const [, jws = '', token] = LINE.exec(line.trim()) ?? []
    const published = await readPublication(keys, jws)
    const reason = published ? await stampIssue(config, jws, token) : 'was not signed by this service'
    if (reason === undefined) proven += 1
    else compared.unproven.push({ line: n + 1, reason })
    if (published) compared.missing.push(...(await findMissingChainEnds(tx, keys, published)))
  }
  if (proven === 0 && compared.unproven.length === 0)
    throw new CommandError(`${file} holds nothing that was published`)
  return compared
}

async function stampIssue(
  { timeStamps }: Pick<Config, 'timeStamps'>,
  jws: string,
  token: string | undefined,
): Promise<string | undefined> {
  if (token === undefined) return undefined
  if (timeStamps.certificates.length === 0)
    return 'has a time stamp, and TSA_CERTIFICATES names no authority to verify it'
  try {
    await verifyTimeStamp(
      timeStamps,
      new TextEncoder().encode(jws),
      new Uint8Array(Buffer.from(token, 'base64')),
    )
    return undefined
  } catch (error) {
    if (!(error instanceof TimeStampError)) throw error
    return `has a time stamp that does not verify: ${error.message}`
  }
}

export const formatMissingChainEnd = ({ record, at, block, last }: MissingChainEnd): string =>
  last === null
    ? `${record}: block ${block}, published at ${at}, is gone or another one: what was recorded until then was taken away or changed`
    : `${record}: it ends with block ${last}, and at ${at} block ${block} was published: what was recorded between them is gone`
