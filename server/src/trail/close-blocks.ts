import { randomBytes } from 'node:crypto'
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Counter } from 'prom-client'
import type { Database, Sql } from '../database/database.ts'
import { UnreadableValue } from '../encryption/key-ring.ts'
import type { KeyRing } from '../encryption/key-ring.ts'
import { chains, hashPersonalValues, hashRow, trailChain, hashUndecryptableValues } from './chain.ts'
import type { Chain, ChainKeys } from './chain.ts'
import { lockHead, runStatement, signBlocks } from './head.ts'
import { countRepeatsInTrail } from './repeats.ts'
import { dueUploadsSql, INSERT_UPLOADS_SQL } from './uploads.ts'

const MOST_ROWS = 1000
const MINUTE_MS = 60_000
/** How long after its minute a row may still be counted further: processes write theirs twice a second. */
const LATE_MS = 5000
const LOOK_MS = 5000
const TIMEOUT_MS = 1000
/** Rows of uploads that are placed in one transaction. */
const MOST_UPLOADS = 10_000
/** Hashes that are made in one turn of the event loop. */
const AT_ONCE = 200

const unreadableRows = new Counter({
  name: 'companion_undecryptable_rows_total',
  help: 'Rows of the trail and the security record with a value that no key opened when their block was closed.',
})

const cutRecords = new Counter({
  name: 'companion_audit_truncations_total',
  help: 'Blocks that were closed behind ends of the trail or the security record that the service had not signed.',
})

interface OpenRow {
  id: string
  at: string
  month: string | null
  content: string
  personal: string | null
}

/** SQL of a chain's order, by which its index gives the open rows. */
const orderOf = ({ order }: Chain) => order.map((column) => `r.${column}`).join(', ')

/**
 * Of rows most of which are closed, the planner takes the open ones for few, and would sort and join all of them for each
 * block: with 40,000 open rows that took half of the time.
 */
export const disableSortPlans = (tx: Sql) =>
  runStatement(
    tx,
    `SELECT set_config(name, 'off', true)
     FROM unnest('{enable_sort,enable_seqscan,enable_bitmapscan,enable_nestloop}'::text[]) AS name`,
    [],
  )

/** SQL of the rows that the next block is to have. */
export const nextBlockRowsSql = (chain: Chain) =>
  `SELECT r.id::text, r.${chain.time}::text AS at, ${chain.month} AS month, ${chain.content} AS content,
     ${chain.personal} AS personal
   FROM ${chain.table} r
   WHERE r.block IS NULL AND ($1::boolean OR (${chain.isCounting}) IS NOT TRUE)
   ORDER BY ${orderOf(chain)} LIMIT ${MOST_ROWS} FOR UPDATE SKIP LOCKED`

/** SQL that closes a block of `rows` open rows, which follow each other in the order of the chain. */
export function closeBlockStatement(chain: Chain, rows: number): string {
  const bound = (n: number) =>
    chain.order
      .map((column) => (column === 'id' ? `($3::bigint[])[${n}]` : `($2::timestamptz[])[${n}]`))
      .join(', ')
  return `UPDATE ${chain.table} r SET block = $1, place = c.place, personal_salt = c.salt, personal_hash = c.personal,
     row_hash = c.hash${chain.closing}
   FROM unnest($2::timestamptz[], $3::bigint[], $4::bytea[], $5::bytea[], $6::bytea[]) WITH ORDINALITY
     AS c (at, id, salt, personal, hash, place)
   WHERE r.${chain.time} = c.at AND r.id = c.id AND r.block IS NULL
     AND (${orderOf(chain)}) BETWEEN (${bound(1)}) AND (${bound(rows)})`
}

/**
 * The hash of what is personal in a row, and whether it could be read. What was damaged is closed as it is, so that the
 * chain goes on. Throws `UnreadableValue` where another process has the key.
 */
async function hashOfPersonal(
  tx: Sql,
  { chain, keys, keyRing }: { chain: Chain; keys: ChainKeys; keyRing: KeyRing },
  salt: Buffer,
  stored: string,
): Promise<{ hash: Buffer; isReadable: boolean }> {
  try {
    return { hash: hashPersonalValues(keys, salt, chain.open(keyRing, stored)), isReadable: true }
  } catch (error) {
    if (!(error instanceof UnreadableValue)) throw error
    const used = await runStatement(tx, 'SELECT FROM data_key WHERE id = $1', [error.missingKey])
    if (used.length > 0) throw error
    return { hash: hashUndecryptableValues(keys, salt, stored), isReadable: false }
  }
}

interface Closed {
  rows: number
  /** The ids of those with a value that no key opens. */
  unreadable: string[]
  /** Whether the chain did not end as the service had signed it. */
  isCut: boolean
}

const NOTHING: Closed = { rows: 0, unreadable: [], isCut: false }

/**
 * Closes the next block of a chain, of at most 1,000 rows that count no more, in the transaction of `tx`. Nothing is done
 * when they are fewer than `least`. With `even` counting rows are taken as well.
 */
async function closeBlock(
  tx: Sql,
  chain: Chain,
  keys: ChainKeys,
  { least, even, keyRing }: { least: number; even: boolean; keyRing: KeyRing },
): Promise<Closed> {
  const head = await lockHead(tx, chain, keys)
  await disableSortPlans(tx)
  const now = Date.now()
  // One that somebody counts further at this moment goes into the next block.
  const open = await runStatement<OpenRow>(tx, nextBlockRowsSql(chain), [
    even,
    new Date(now - MINUTE_MS - LATE_MS),
  ])
  const month = open[0]?.month ?? null
  const rows = open.filter((row) => row.month === month)
  if (rows.length === 0 || open.length < least) return NOTHING
  const number = head.last + 1
  const record = chain.name
  const made: { salt: Buffer | null; personal: Buffer | null; hash: Buffer }[] = []
  const unreadable: string[] = []
  for (const [n, { id, content, personal }] of rows.entries()) {
    if (n % AT_ONCE === AT_ONCE - 1) await turn()
    const salt = personal === null ? null : randomBytes(16)
    const ofPersonal =
      salt && personal !== null ? await hashOfPersonal(tx, { chain, keys, keyRing }, salt, personal) : null
    if (ofPersonal?.isReadable === false) unreadable.push(id)
    made.push({
      salt,
      personal: ofPersonal?.hash ?? null,
      hash: hashRow(keys, { record, block: number, place: n + 1 }, content, ofPersonal?.hash ?? null),
    })
  }
  await runStatement(tx, closeBlockStatement(chain, rows.length), [
    number,
    rows.map(({ at }) => at),
    rows.map(({ id }) => id),
    made.map(({ salt }) => salt),
    made.map(({ personal }) => personal),
    made.map(({ hash }) => hash),
  ])
  const blocks = [made.map(({ hash }) => hash)]
  await signBlocks(tx, { chain, keys }, head, { blocks, month, now })
  return { rows: rows.length, unreadable, isCut: !head.isSigned }
}

/**
 * Puts uploads of days that are over into blocks of the trail, at most `MOST_UPLOADS` rows at a time. Nothing is done when they
 * are fewer than `least`.
 */
async function closeUploads(tx: Sql, keys: ChainKeys, { least }: { least: number }): Promise<Closed> {
  const head = await lockHead(tx, trailChain, keys)
  const now = Date.now()
  const due = await runStatement<{ tid: string; id: string; month: string; content: string }>(
    tx,
    dueUploadsSql(trailChain.content, MOST_UPLOADS),
    [new Date(now - LATE_MS)],
  )
  const month = due[0]?.month ?? null
  const rows = due.filter((row) => row.month === month)
  if (rows.length === 0 || due.length < least) return NOTHING
  const hashes: Buffer[] = []
  for (const [n, { content }] of rows.entries()) {
    if (n % AT_ONCE === AT_ONCE - 1) await turn()
    const block = head.last + 1 + Math.floor(n / MOST_ROWS)
    hashes.push(hashRow(keys, { record: 'trail', block, place: (n % MOST_ROWS) + 1 }, content, null))
  }
  await runStatement(tx, INSERT_UPLOADS_SQL, [
    rows.map(({ tid }) => tid),
    rows.map(({ id }) => id),
    hashes,
    head.last + 1,
    MOST_ROWS,
  ])
  const blocks = Array.from({ length: Math.ceil(hashes.length / MOST_ROWS) }, (_, n) =>
    hashes.slice(n * MOST_ROWS, (n + 1) * MOST_ROWS),
  )
  await signBlocks(tx, { chain: trailChain, keys }, head, { blocks, month, now })
  return { rows: rows.length, unreadable: [], isCut: !head.isSigned }
}

/**
 * Closes blocks of both chains as long as at least `least` rows are there for one, after counting what came again. Several
 * processes that do so take turns. With `even` also rows that may be counted further, but not the uploads of today. `report` takes what is not as it was written.
 */
export async function closeBlocks(
  database: Pick<Database, 'transaction' | 'query' | 'keyRing'>,
  keys: ChainKeys,
  { least = 1, even = false, report }: { least?: number; even?: boolean; report?: Reporter } = {},
): Promise<void> {
  await database.query(countRepeatsInTrail, [])
  const { keyRing } = database
  const whileMore = async (record: Chain['name'], close: (tx: Sql) => Promise<Closed>) => {
    for (let isMore = true; isMore;) {
      const { rows, unreadable, isCut } = await database.transaction(close)
      if (isCut) report?.cut({ record })
      if (unreadable.length > 0) report?.unreadable({ record, ids: unreadable })
      isMore = rows > 0
    }
  }
  await whileMore('trail', (tx) => closeUploads(tx, keys, { least }))
  for (const chain of chains)
    await whileMore(chain.name, (tx) => closeBlock(tx, chain, keys, { least, even, keyRing }))
}

interface Reporter {
  cut: (found: { record: Chain['name'] }) => void
  unreadable: (found: { record: Chain['name']; ids: readonly string[] }) => void
}

/** Closes blocks each minute, and as soon as there are 1,000 rows for one. `stop` closes what is there. */
export function startClosingBlocks(
  database: Pick<Database, 'transaction' | 'query' | 'keyRing'>,
  { keys, log }: { keys: ChainKeys; log: Logger },
): { stop: () => Promise<void> } {
  let lastAt = Date.now()
  let running = Promise.resolve()
  const report: Reporter = {
    cut(found) {
      cutRecords.inc()
      log.error(found, 'record does not end as it was signed; run `companion trail verify`')
    },
    unreadable(found) {
      unreadableRows.inc(found.ids.length)
      log.error(found, 'rows contain values that no key decrypts')
    },
  }
  const look = async () => {
    const isDue = Date.now() - lastAt >= MINUTE_MS
    try {
      await closeBlocks(database, keys, { least: isDue ? 1 : MOST_ROWS, report })
      if (isDue) lastAt = Date.now()
    } catch (error) {
      log.warn({ err: error }, 'blocks not closed')
    }
  }
  const timer = setInterval(() => {
    running = running.then(look)
  }, LOOK_MS)
  return {
    async stop() {
      clearInterval(timer)
      const closed = running.then(() => closeBlocks(database, keys, { even: true, report }))
      // What a silent database delays is closed by the next start.
      await Promise.race([
        closed.catch((error: unknown) => log.warn({ err: error }, 'blocks not closed')),
        pause(TIMEOUT_MS, undefined, { ref: false }),
      ])
    },
  }
}
