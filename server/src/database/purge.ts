import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Logger } from 'pino'
import type { RetentionMonths } from '../config/retention.ts'
import { isAged, removeAged } from './aged-records.ts'
import type { Aged } from './aged-records.ts'
import type { Database, Sql } from './database.ts'
import { rowsOfPlan } from './nodes/index.ts'
import type { Plan } from './nodes/index.ts'
import { dropPartitions, makePartitions, partitionsBefore } from './partitions.ts'
import type { Partitioned } from './partitions.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const YEAR = 366 * DAY

/** So few that no statement comes near its time limit, however much has gathered. */
const MOST_AT_ONCE = 1000

/** How long is kept what does not end by itself. */
export interface Retention {
  tombstoneDays: number
  rejectedDevlogDays: number
  /** For how many days readings of base stations are kept one by one, at least; their sums by date stay. */
  readingsRawDays: number
  /** For how many months the records of children are kept, counted from their own date. */
  retention: RetentionMonths
}

/** How many rows were purged, by kind. */
export type Purged = Record<string, number>

export interface Kind {
  /** Takes at most `MOST_AT_ONCE` rows; resolves to how many. */
  take: (tx: Sql) => Promise<number>
  /** Selects these columns of the rows that are due, where there may be many. */
  due?: (columns: RawBuilder<unknown>) => RawBuilder<unknown>
  /** The column of their date. */
  date?: string
}

function kindsAt(
  now: number,
  { tombstoneDays, rejectedDevlogDays, retention }: Retention,
): Record<string, Kind> {
  const before = (ms: number) => new Date(now - ms)
  const tombstone = before(tombstoneDays * DAY)
  return {
    used_tokens: remove('used_token', sql`expires_at < ${before(0)}`),
    kept_responses: remove('kept_response', sql`created_at < ${before(DAY)}`, 'created_at'),
    // A day longer than they work, so that it can be said why one does not.
    sms_codes: remove('sms_code', sql`expires_at < ${before(DAY)}`),
    reset_tokens: remove('reset_token', sql`expires_at < ${before(DAY)}`),
    email_confirmations: remove('email_confirmation', sql`expires_at < ${before(DAY)}`),
    // As long as a refresh token lives.
    sessions: remove('session', sql`issued_at < ${before(14 * DAY)}`),
    known_ip_addresses: remove('known_ip_address', sql`last_seen_at < ${before(90 * DAY)}`, 'last_seen_at'),
    // Until then they keep a treatment that arrives again from alerting again.
    alerts: remove('alert', sql`due_at IS NULL AND created_at < ${before(90 * DAY)}`, 'created_at'),
    rate_limits: remove('rate_limit', sql`expire < ${now}`),
    rejected_devlogs: remove(
      'rejected_devlog',
      sql`received_at < ${before(rejectedDevlogDays * DAY)}`,
      'received_at',
    ),
    rejected_addresses: eraseAddresses('rejected_devlog', 'received_at', tombstone),
    deletion_addresses: eraseAddresses('devlog_deletion', 'deleted_at', tombstone),
    recorded_addresses: eraseAddresses('security_record', 'recorded_at', tombstone, 'phone_hash'),
    invitations: remove('invitation', sql`expires_at < ${before(DAY)}`, 'expires_at'),
    // As long as owners are told of the accesses that they explain.
    ended_shares: remove('membership', sql`ended_at < ${before(YEAR)}`, 'ended_at'),
    past_shares: remove('membership', sql`until < ${before(YEAR)}`, 'until'),
    // A day longer than they work, so that it can be said why one does not.
    oauth_states: remove('oauth_state', sql`expires_at < ${before(DAY)}`, 'expires_at'),
    ended_grants: remove('access_grant', sql`ended_at < ${before(YEAR)}`, 'ended_at'),
    past_grants: remove('access_grant', sql`expires_at < ${before(YEAR)}`, 'expires_at'),
    adopted_changes: { take: adoptChanges },
    changes: removeChanges(before(90 * DAY)),
    late_readings: {
      take: (tx) => countBy(sql`remove_late_readings(${MOST_AT_ONCE})`, tx),
      due: rowsOf('sleep_reading_other', sql`measured_at < (SELECT raw_from FROM reading_horizon)`),
    },
    accounts: removeAccounts(tombstone),
    ...agedKinds(now, retention),
    // Of what stays; the rows only lie elsewhere from then on.
    settled_treatments: { take: (tx) => countBy(sql`recluster_treatments(${MOST_AT_ONCE})`, tx) },
  }
}

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
    more?: Record<string, Kind>
  } = {},
): Promise<Purged | undefined> {
  const weeks_of_readings = await keepReadings(database, retention)
  let purged: Purged | undefined
  const kinds = Object.entries({ ...kindsAt(Date.now(), retention), ...more })
  // What is left of each kind. Counting it would read as much as deleting it.
  const left = new Map<string, number>()
  if (report)
    for (const [kind, { due }] of kinds) left.set(kind, due ? await estimate(database.sql, due(sql``)) : 0)
  for (const [kind, { take }] of kinds) {
    let taken: number | undefined
    do {
      if (signal?.aborted) return purged
      taken = await database.transaction(async (tx) => ((await isAlone(tx)) ? take(tx) : undefined))
      if (taken === undefined) return purged
      purged = { ...purged, [kind]: (purged?.[kind] ?? 0) + taken }
      left.set(kind, taken < MOST_AT_ONCE ? 0 : Math.max(0, (left.get(kind) ?? 0) - taken))
      const rows = sum(Object.values(purged))
      report?.(rows, rows / Math.max(1, rows + sum([...left.values()])))
    } while (taken === MOST_AT_ONCE)
  }
  return purged && { ...purged, weeks_of_readings }
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

/** About how many rows the query `due` finds, as PostgreSQL guesses from its statistics. */
async function estimate(connection: Sql, due: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>`
    EXPLAIN (FORMAT JSON) ${due}`.execute(connection)
  const { rows: guess, shards } = rowsOfPlan(rows[0]?.['QUERY PLAN'][0].Plan)
  // Of a table without statistics it guesses hundreds. What is taken at once needs no guess.
  return guess > MOST_AT_ONCE ? guess * shards : 0
}

/**
 * `order` names the column of an index, which then is used however many rows there are. A row that somebody else holds is
 * left for the next time: who waits for nobody cannot deadlock with a deletion that takes the same rows in another order.
 */
const some = (table: string, condition: RawBuilder<unknown>, order?: string) => sql`
  ctid = ANY (ARRAY(SELECT ctid FROM ${sql.table(table)} WHERE ${condition}
    ${order === undefined ? sql`` : sql`ORDER BY ${sql.ref(order)}`} LIMIT ${MOST_AT_ONCE} FOR UPDATE SKIP LOCKED))`

const rowsOf = (table: string, condition: RawBuilder<unknown>) => (columns: RawBuilder<unknown>) =>
  sql`SELECT ${columns} FROM ${sql.table(table)} WHERE ${condition}`

const remove = (table: string, condition: RawBuilder<unknown>, order?: string): Kind => ({
  take: async (tx) =>
    countOf(await sql`DELETE FROM ${sql.table(table)} WHERE ${some(table, condition, order)}`.execute(tx)),
  due: rowsOf(table, condition),
  ...(order === undefined ? {} : { date: order }),
})

function eraseAddresses(table: string, time: string, before: Date, ...others: string[]): Kind {
  const condition = sql`address IS NOT NULL AND ${sql.ref(time)} < ${before}`
  const gone = sql.join(['address', ...others].map((column) => sql`${sql.ref(column)} = NULL`))
  return {
    take: async (tx) =>
      countOf(
        await sql`UPDATE ${sql.table(table)} SET ${gone} WHERE ${some(table, condition, time)}`.execute(tx),
      ),
    due: rowsOf(table, condition),
    date: time,
  }
}

/** Each with the key of `RETENTION` that says for how long it is kept. */
const agedRecords: Record<string, Aged & { kept: keyof RetentionMonths }> = {
  old_treatments: {
    removing: 'treatments',
    owners: 'real_user',
    table: 'treatment',
    date: 'treatment_date',
    only: () => sql`deleted_at IS NULL`,
    kept: 'treatments',
  },
  old_deleted_treatments: {
    removing: 'deleted_treatments',
    owners: 'real_user',
    table: 'treatment',
    date: 'treatment_date',
    only: () => sql`deleted_at IS NOT NULL`,
    kept: 'treatments',
  },
  old_treatment_shifts: {
    removing: 'treatment_shifts',
    owners: 'real_user',
    table: 'shifted_devlog',
    date: 'date',
    kept: 'treatments',
  },
  old_plans: {
    removing: 'plans',
    owners: 'real_user',
    table: 'plan',
    date: 'from_date',
    only: (before) =>
      sql`EXISTS (SELECT FROM plan p WHERE p.real_user_id = plan.real_user_id AND p.from_date > plan.from_date
        AND p.from_date <= ${before})`,
    kept: 'treatments',
  },
  old_reading_days: {
    removing: 'reading_days',
    owners: 'basestation',
    table: 'reading_day',
    date: 'date',
    kept: 'readings',
  },
  old_notes: {
    removing: 'events',
    owners: 'real_user',
    table: 'event',
    date: 'event_date',
    kept: 'notes',
  },
  old_surveys: {
    removing: 'surveys',
    owners: 'real_user',
    table: 'survey',
    date: 'created_at',
    kept: 'surveys',
  },
}

/** The date `months` before `now`, in UTC. */
const monthsBefore = (now: number, months: number) =>
  sql<Date>`(${new Date(now).toISOString().slice(0, 10)}::date - make_interval(months => ${months}))`

/** The records of children that are older than they are kept. */
function agedKinds(now: number, retention: RetentionMonths): Record<string, Kind> {
  const kinds = Object.entries(agedRecords).flatMap(([kind, aged]): [string, Kind][] => {
    const months = retention[aged.kept]
    if (months === 'none') return []
    const before = monthsBefore(now, months)
    const due = rowsOf(aged.table, isAged(aged, before))
    return [[kind, { take: removeAged(aged, before, MOST_AT_ONCE), due, date: aged.date }]]
  })
  return Object.fromEntries(kinds)
}

/** What a purge would remove of one kind. */
export interface PlannedPurge {
  kind: string
  rows: number
  /** The date of the oldest row, ISO 8601, where the kind has one. */
  oldest: string | null
  why: string
}

const REASONS: Record<string, string> = {
  alerts: 'sent or given up 90 days ago',
  changes: 'older than 90 days',
  accounts: 'the account was deleted, and TOMBSTONE_DAYS have passed',
  rejected_devlogs: 'older than REJECTED_DEVLOG_DAYS',
  rejected_addresses: 'the address is older than TOMBSTONE_DAYS',
  deletion_addresses: 'the address is older than TOMBSTONE_DAYS',
  recorded_addresses: 'the address is older than TOMBSTONE_DAYS',
  late_readings: 'older than READINGS_RAW_DAYS',
}

/** Says what a purge would remove now, kind by kind, and removes nothing. It counts, which reads all of it. */
export async function planPurge(database: Database, retention: Retention): Promise<PlannedPurge[]> {
  const planned: PlannedPurge[] = []
  for (const [kind, { due, date }] of Object.entries(kindsAt(Date.now(), retention))) {
    if (!due) continue
    const columns = date === undefined ? sql`` : sql`${sql.ref(date)} AS date`
    const { rows } = await sql<{ count: number; oldest: string | null }>`
      SELECT count(*)::float8 AS count, ${date === undefined ? sql`NULL` : sql`to_json(min(date)) #>> '{}'`} AS oldest
      FROM (${due(columns)}) due`.execute(database.sql)
    const [found] = rows
    const why = kind.startsWith('old_')
      ? 'older than RETENTION keeps it'
      : (REASONS[kind] ?? 'it has expired')
    planned.push({ kind, rows: found?.count ?? 0, oldest: found?.oldest ?? null, why })
  }
  return planned
}

/** In the order of the feed, which then knows up to where it has been purged. */
const removeChanges = (madeBefore: Date): Kind => ({
  take: async (tx) => {
    const { rows } = await sql<{ count: number }>`
      WITH oldest AS (
        SELECT xact_id, id, at FROM change ORDER BY xact_id, id LIMIT ${MOST_AT_ONCE}
      ), gone AS (
        DELETE FROM change c USING oldest o WHERE o.at < ${madeBefore} AND (c.xact_id, c.id) = (o.xact_id, o.id)
        RETURNING c.xact_id, c.id
      ), last AS (
        SELECT xact_id, id FROM gone ORDER BY xact_id DESC, id DESC LIMIT 1
      ), noted AS (
        UPDATE feed SET purged_xact_id = last.xact_id, purged_id = last.id FROM last
        WHERE (purged_xact_id, purged_id) < (last.xact_id, last.id)
      )
      SELECT count(*)::int AS count FROM gone`.execute(tx)
    return rows[0]?.count ?? 0
  },
  due: rowsOf('change', sql`at < ${madeBefore}`),
})

/**
 * A dump may contain transaction ids that this server has not reached yet. Its changes become those of this
 * transaction, so that they are shown, and what is told of places ahead is forgotten.
 */
const adoptChanges = async (tx: Sql): Promise<number> => {
  const ahead = sql`pg_snapshot_xmax(pg_current_snapshot())`
  await sql`UPDATE feed SET purged_xact_id = '0', purged_id = 0 WHERE purged_xact_id > ${ahead}`.execute(tx)
  await sql`UPDATE feed SET notified_xact_id = '0' WHERE notified_xact_id > ${ahead}`.execute(tx)
  return countOf(
    await sql`UPDATE change c SET xact_id = DEFAULT FROM (
      SELECT xact_id, id FROM change WHERE xact_id > ${ahead} ORDER BY xact_id, id LIMIT ${MOST_AT_ONCE}
    ) strange WHERE (c.xact_id, c.id) = (strange.xact_id, strange.id)`.execute(tx),
  )
}

const SLEEP_READINGS: Partitioned = { table: 'sleep_reading', column: 'measured_at', unit: 'week', ahead: 2 }

/** Makes the weeks of readings from the first that is kept to the coming ones. Resolves to when the first begins. */
export async function makeReadingWeeks(
  database: Database,
  { readingsRawDays, retention: { readings } }: Retention,
): Promise<Date> {
  const now = new Date()
  const raw = new Date(now.getTime() - readingsRawDays * DAY)
  // Single readings go no later than the sums of their dates.
  const since = readings === 'none' ? raw : later(raw, await dateBefore(database, now, readings))
  await makePartitions(database, SLEEP_READINGS, { since, now })
  return since
}

/** Makes the coming weeks of readings, and drops those that have served their time. Resolves to how many it dropped. */
async function keepReadings(database: Database, retention: Retention): Promise<number> {
  const since = await makeReadingWeeks(database, retention)
  const { names, end } = await partitionsBefore(database, SLEEP_READINGS, since)
  if (end === undefined) return 0
  // Committed before they go: an upload that finds no partition of its date then counts as late.
  await sql`UPDATE reading_horizon SET raw_from = greatest(raw_from, ${end}::timestamp)`.execute(database.sql)
  return dropPartitions(database, names)
}

async function dateBefore(database: Database, now: Date, months: number): Promise<Date> {
  const { rows } = await sql<{ ms: number }>`
    SELECT (extract(epoch FROM ${monthsBefore(now.getTime(), months)}) * 1000)::float8 AS ms`.execute(
    database.sql,
  )
  return new Date(rows[0]?.ms ?? 0)
}

const later = (one: Date, other: Date) => (one > other ? one : other)

async function countBy(call: RawBuilder<unknown>, tx: Sql): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT ${call} AS count`.execute(tx)
  return rows[0]?.count ?? 0
}

const countOf = ({ numAffectedRows = 0n }: { numAffectedRows?: bigint }) => Number(numAffectedRows)

/** The account's own rows go with it by their foreign keys. */
const removeAccounts = (deletedBefore: Date): Kind => ({
  take: async (tx) => {
    const accounts = await tx
      .selectFrom('root_user')
      .select('id')
      .where('deleted_at', '<', deletedBefore)
      .limit(MOST_AT_ONCE)
      .execute()
    const ids = accounts.map(({ id }) => id)
    if (ids.length === 0) return 0
    await tx.deleteFrom('alert').where('root_user_id', 'in', ids).execute()
    await tx.deleteFrom('real_user').where('root_user_id', 'in', ids).execute()
    await tx.deleteFrom('root_user').where('id', 'in', ids).execute()
    return ids.length
  },
  due: rowsOf('root_user', sql`deleted_at < ${deletedBefore}`),
})

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
    more: Record<string, Kind>
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
