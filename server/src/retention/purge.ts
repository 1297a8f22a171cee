import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Logger } from 'pino'
import type { Database, Sql } from '../database/database.ts'
import { estimateQueryRows } from '../database/estimate-rows.ts'
import { listPurgedKinds, MAX_ROWS_PER_PURGE } from './kinds.ts'
import type { PurgedKind, Retention } from './kinds.ts'
import { maintainReadingPartitions } from './reading-weeks.ts'

const HOUR = 3_600_000

/** How many rows were purged, by kind. */
export type PurgedCounts = Record<string, number>

/**
 * Deletes what has served its time: expired codes, tokens and counters, addresses, rejected usage logs, and the
 * tombstones of deleted accounts with all that is left of them. Each transaction takes few rows, so that none fails by
 * how much there is. `more` are kinds that modules above this one know. Tells `report` how many rows have gone so far, and
 * about which share that is. Ends early when `signal` is aborted or another process is at it; undefined when one was
 * before.
 */
export async function purge(
  database: Database,
  retention: Retention,
  {
    signal,
    report,
    more = {},
  }: {
    signal?: AbortSignal
    report?: (rows: number, share: number) => void
    more?: Record<string, PurgedKind>
  } = {},
): Promise<PurgedCounts | undefined> {
  const weeks_of_readings = await maintainReadingPartitions(database, retention)
  let purged: PurgedCounts | undefined
  const kinds = Object.entries({ ...listPurgedKinds(Date.now(), retention), ...more })
  // What is left of each kind. Counting it would read as much as deleting it.
  const left = new Map<string, number>()
  if (report)
    for (const [kind, { due }] of kinds) left.set(kind, due ? await guess(database.sql, due(sql``)) : 0)
  for (const [kind, { take }] of kinds) {
    let taken: number | undefined
    do {
      if (signal?.aborted) return purged
      taken = await database.transaction(async (tx) => ((await isAlone(tx)) ? take(tx) : undefined))
      if (taken === undefined) return purged
      purged = { ...purged, [kind]: (purged?.[kind] ?? 0) + taken }
      left.set(kind, taken < MAX_ROWS_PER_PURGE ? 0 : Math.max(0, (left.get(kind) ?? 0) - taken))
      const rows = sum(Object.values(purged))
      report?.(rows, rows / Math.max(1, rows + sum([...left.values()])))
    } while (taken === MAX_ROWS_PER_PURGE)
  }
  return purged && { ...purged, weeks_of_readings }
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

/** Of a table without statistics PostgreSQL expects hundreds of rows. What is taken at once needs no estimate. */
async function guess(connection: Sql, due: RawBuilder<unknown>): Promise<number> {
  const { rows, shards } = await estimateQueryRows(connection, due)
  return rows > MAX_ROWS_PER_PURGE ? rows * shards : 0
}

/** What a purge would remove of one kind. */
export interface PlannedPurge {
  kind: string
  rows: number
  /** The date of the oldest row, ISO 8601, where the kind has one. */
  oldest: string | null
  why: string
}

/** Says what a purge would remove now, kind by kind, and removes nothing. It counts, which reads all of it. */
export async function planPurge(database: Database, retention: Retention): Promise<PlannedPurge[]> {
  const planned: PlannedPurge[] = []
  for (const [kind, { due, date, why = 'it has expired' }] of Object.entries(
    listPurgedKinds(Date.now(), retention),
  )) {
    if (!due) continue
    const columns = date === undefined ? sql`` : sql`${sql.ref(date)} AS date`
    const { rows } = await sql<{ count: number; oldest: string | null }>`
      SELECT count(*)::float8 AS count, ${date === undefined ? sql`NULL` : sql`to_json(min(date)) #>> '{}'`} AS oldest
      FROM (${due(columns)}) due`.execute(database.sql)
    const [found] = rows
    planned.push({ kind, rows: found?.count ?? 0, oldest: found?.oldest ?? null, why })
  }
  return planned
}

const PURGE_LOCK = 7_305_011_122

async function isAlone(sql: Sql): Promise<boolean> {
  const { locked } = await sql
    .selectNoFrom((select) =>
      select.fn<boolean>('pg_try_advisory_xact_lock', [select.val(PURGE_LOCK)]).as('locked'),
    )
    .executeTakeFirstOrThrow()
  return locked
}

/** Purges now and every hour until stopped; `stop` waits for the rows that are under way. */
export function startPurging(
  database: Database,
  {
    retention,
    log,
    more,
    also = async () => ({}),
  }: {
    retention: Retention
    log: Logger
    more: Record<string, PurgedKind>
    /** What else goes then, which the database knows nothing of. */
    also?: (signal: AbortSignal) => Promise<object>
  },
): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  const run = async () => {
    try {
      const purged = await purge(database, retention, { signal: stopping.signal, more })
      if (purged) log.info({ purged: { ...purged, ...(await also(stopping.signal)) } }, 'purged')
    } catch (error) {
      log.warn({ err: error }, 'not purged')
    }
  }
  let running = run()
  const timer = setInterval(() => {
    running = run()
  }, HOUR)
  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await running
    },
  }
}
