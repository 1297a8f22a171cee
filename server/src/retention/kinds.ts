import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { RetentionMonths } from '../config/retention.ts'
import type { Sql } from '../database/database.ts'
import { agedConditionSql, monthsBefore, createAgedRecordRemover } from './aged-records.ts'
import type { AgedRecord } from './aged-records.ts'

const DAY = 86_400_000
const YEAR = 366 * DAY

/** So few that no statement comes near its time limit, however much has gathered. */
export const MAX_ROWS_PER_PURGE = 1000

/** How long is kept what does not end by itself. */
export interface Retention {
  tombstoneDays: number
  rejectedDevlogDays: number
  /** For how many days readings of base stations are kept one by one, at least; their sums by date stay. */
  readingsRawDays: number
  /** For how many months the records of children are kept, counted from their own date. */
  retention: RetentionMonths
}

export interface PurgedKind {
  /** Takes at most `MAX_ROWS_PER_PURGE` rows; resolves to how many. */
  take: (tx: Sql) => Promise<number>
  /** Selects these columns of the rows that are due, where there may be many. */
  due?: (columns: RawBuilder<unknown>) => RawBuilder<unknown>
  /** The column of their date. */
  date?: string
  /** Why they go, where it is not that they have expired. */
  why?: string
}

/** What is purged at `now`, by the name of its kind. */
export function listPurgedKinds(
  now: number,
  { tombstoneDays, rejectedDevlogDays, retention }: Retention,
): Record<string, PurgedKind> {
  const before = (ms: number) => new Date(now - ms)
  const tombstone = before(tombstoneDays * DAY)
  return {
    used_tokens: remove('used_token', sql`expires_at < ${before(0)}`),
    kept_responses: {
      ...remove('kept_response', sql`created_at < ${before(DAY)}`, 'created_at'),
      why: 'a day old',
    },
    fhir_export_parts: {
      ...remove('fhir_export_part', isOfEndedExport(before(0))),
      why: 'the export is a day old or was ended, or the grant has ended',
    },
    // After its parts, so that few rows go at once.
    fhir_exports: remove(
      'fhir_export',
      sql`expires_at < ${before(0)} AND NOT EXISTS (SELECT FROM fhir_export_part p WHERE p.export_id = fhir_export.id)`,
      'expires_at',
    ),
    // A day longer than they work, so that it can be said why one does not.
    sms_codes: remove('sms_code', sql`expires_at < ${before(DAY)}`),
    reset_tokens: remove('reset_token', sql`expires_at < ${before(DAY)}`),
    email_confirmations: remove('email_confirmation', sql`expires_at < ${before(DAY)}`),
    // As long as a refresh token lives.
    sessions: remove('session', sql`issued_at < ${before(14 * DAY)}`),
    known_ip_addresses: remove('known_ip_address', sql`last_seen_at < ${before(90 * DAY)}`, 'last_seen_at'),
    // Until then they keep a treatment that arrives again from alerting again.
    alerts: {
      ...remove('alert', sql`due_at IS NULL AND created_at < ${before(90 * DAY)}`, 'created_at'),
      why: 'sent or given up 90 days ago',
    },
    rate_limits: remove('rate_limit', sql`expire < ${now}`),
    rejected_devlogs: {
      ...remove('rejected_devlog', sql`received_at < ${before(rejectedDevlogDays * DAY)}`, 'received_at'),
      why: 'older than REJECTED_DEVLOG_DAYS',
    },
    rejected_addresses: eraseAddresses('rejected_devlog', 'received_at', tombstone),
    deletion_addresses: eraseAddresses('devlog_deletion', 'deleted_at', tombstone),
    recorded_addresses: eraseAddresses('security_record', 'recorded_at', tombstone, 'phone_hash'),
    invitations: remove('invitation', sql`expires_at < ${before(DAY)}`, 'expires_at'),
    transfer_offers: {
      ...remove('transfer_offer', sql`expires_at < ${before(DAY)}`, 'expires_at'),
      why: 'not accepted within 7 days',
    },
    // As long as owners are told of the accesses that they explain.
    ended_shares: remove('membership', sql`ended_at < ${before(YEAR)}`, 'ended_at'),
    past_shares: remove('membership', sql`until < ${before(YEAR)}`, 'until'),
    clinic_invitations: remove('clinic_invitation', sql`expires_at < ${before(DAY)}`, 'expires_at'),
    ended_clinic_connections: remove('clinic_connection', sql`ended_at < ${before(YEAR)}`, 'ended_at'),
    past_clinic_connections: remove('clinic_connection', sql`until < ${before(YEAR)}`, 'until'),
    ended_clinic_members: remove('clinic_member', sql`ended_at < ${before(YEAR)}`, 'ended_at'),
    removed_clinics: {
      ...remove('clinic', sql`removed_at < ${before(YEAR)}`, 'removed_at'),
      why: 'removed a year ago',
    },
    // A day longer than they work, so that it can be said why one does not.
    oauth_states: remove('oauth_state', sql`expires_at < ${before(DAY)}`, 'expires_at'),
    ended_grants: remove('access_grant', sql`ended_at < ${before(YEAR)}`, 'ended_at'),
    past_grants: remove('access_grant', sql`expires_at < ${before(YEAR)}`, 'expires_at'),
    adopted_changes: { take: adoptChanges },
    changes: removeChanges(before(90 * DAY)),
    late_readings: {
      take: (tx) => countBy(sql`remove_readings_of_dropped_weeks(${MAX_ROWS_PER_PURGE})`, tx),
      due: rowsOf('sleep_reading_other', sql`measured_at < (SELECT raw_from FROM reading_horizon)`),
      why: 'older than READINGS_RAW_DAYS',
    },
    accounts: removeAccounts(tombstone),
    ...agedKinds(now, retention),
    // Of what stays; the rows only lie elsewhere from then on.
    settled_treatments: { take: (tx) => countBy(sql`recluster_treatments(${MAX_ROWS_PER_PURGE})`, tx) },
  }
}

/** Of lines of an export: nobody can fetch them any more, because it is over or no grant in force holds their scope for their child. */
const isOfEndedExport = (now: Date) => sql`(
  export_id IN (SELECT id FROM fhir_export WHERE expires_at < ${now})
  OR NOT EXISTS (
    SELECT FROM fhir_export e JOIN access_grant g ON g.client_id = e.client_id JOIN access_grant_child c ON c.grant_id = g.id
    WHERE e.id = fhir_export_part.export_id AND c.real_user_id = fhir_export_part.real_user_id
      AND fhir_export_part.scope = ANY (g.scopes) AND grant_in_force(g.ended_at, g.expires_at, ${now})))`

/**
 * `order` names the column of an index, which then is used however many rows there are. A row that somebody else holds is
 * left for the next time: who waits for nobody cannot deadlock with a deletion that takes the same rows in another order.
 */
const some = (table: string, condition: RawBuilder<unknown>, order?: string) => sql`
  ctid = ANY (ARRAY(SELECT ctid FROM ${sql.table(table)} WHERE ${condition}
    ${order === undefined ? sql`` : sql`ORDER BY ${sql.ref(order)}`} LIMIT ${MAX_ROWS_PER_PURGE} FOR UPDATE SKIP LOCKED))`

const rowsOf = (table: string, condition: RawBuilder<unknown>) => (columns: RawBuilder<unknown>) =>
  sql`SELECT ${columns} FROM ${sql.table(table)} WHERE ${condition}`

const remove = (table: string, condition: RawBuilder<unknown>, order?: string): PurgedKind => ({
  take: async (tx) =>
    countOf(await sql`DELETE FROM ${sql.table(table)} WHERE ${some(table, condition, order)}`.execute(tx)),
  due: rowsOf(table, condition),
  ...(order === undefined ? {} : { date: order }),
})

function eraseAddresses(table: string, time: string, before: Date, ...others: string[]): PurgedKind {
  const condition = sql`address IS NOT NULL AND ${sql.ref(time)} < ${before}`
  const gone = sql.join(['address', ...others].map((column) => sql`${sql.ref(column)} = NULL`))
  return {
    take: async (tx) =>
      countOf(
        await sql`UPDATE ${sql.table(table)} SET ${gone} WHERE ${some(table, condition, time)}`.execute(tx),
      ),
    due: rowsOf(table, condition),
    date: time,
    why: 'the address is older than TOMBSTONE_DAYS',
  }
}

type Kept = keyof RetentionMonths

const ofChild = (removing: string, table: string, date: string, only?: AgedRecord['only']): AgedRecord => ({
  removing,
  owners: 'real_user',
  table,
  date,
  ...(only && { only }),
})

/** The records of children, each kind with the key of `RETENTION` that says for how long it is kept. */
const agedRecords: Record<string, readonly [kept: Kept, record: AgedRecord]> = {
  old_treatments: [
    'treatments',
    ofChild('treatments', 'treatment', 'treatment_date', () => sql`deleted_at IS NULL`),
  ],
  old_deleted_treatments: [
    'treatments',
    ofChild('deleted_treatments', 'treatment', 'treatment_date', () => sql`deleted_at IS NOT NULL`),
  ],
  old_treatment_shifts: ['treatments', ofChild('treatment_shifts', 'shifted_devlog', 'date')],
  old_plans: [
    'treatments',
    ofChild(
      'plans',
      'plan',
      'from_date',
      (before) =>
        sql`EXISTS (SELECT FROM plan p WHERE p.real_user_id = plan.real_user_id AND p.from_date > plan.from_date
          AND p.from_date <= ${before})`,
    ),
  ],
  old_reading_days: [
    'readings',
    { removing: 'reading_days', owners: 'basestation', table: 'reading_day', date: 'date' },
  ],
  old_past_reading_days: ['readings', ofChild('past_reading_days', 'past_reading_day', 'date')],
  old_notes: ['notes', ofChild('events', 'event', 'event_date')],
  old_surveys: ['surveys', ofChild('surveys', 'survey', 'created_at')],
}

/** The records of children that are older than they are kept. */
function agedKinds(now: number, retention: RetentionMonths): Record<string, PurgedKind> {
  const kinds = Object.entries(agedRecords).flatMap(([kind, [kept, aged]]): [string, PurgedKind][] => {
    const months = retention[kept]
    if (months === 'none') return []
    const before = monthsBefore(now, months)
    const due = rowsOf(aged.table, agedConditionSql(aged, before))
    const take = createAgedRecordRemover(aged, before, MAX_ROWS_PER_PURGE)
    return [[kind, { take, due, date: aged.date, why: 'older than RETENTION keeps it' }]]
  })
  return Object.fromEntries(kinds)
}

/** In the order of the feed, which then knows up to where it has been purged. */
const removeChanges = (madeBefore: Date): PurgedKind => ({
  take: async (tx) => {
    const { rows } = await sql<{ count: number }>`
      WITH oldest AS (
        SELECT xact_id, id, at FROM change ORDER BY xact_id, id LIMIT ${MAX_ROWS_PER_PURGE}
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
  why: 'older than 90 days',
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
      SELECT xact_id, id FROM change WHERE xact_id > ${ahead} ORDER BY xact_id, id LIMIT ${MAX_ROWS_PER_PURGE}
    ) strange WHERE (c.xact_id, c.id) = (strange.xact_id, strange.id)`.execute(tx),
  )
}

async function countBy(call: RawBuilder<unknown>, tx: Sql): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT ${call} AS count`.execute(tx)
  return rows[0]?.count ?? 0
}

const countOf = ({ numAffectedRows = 0n }: { numAffectedRows?: bigint }) => Number(numAffectedRows)

/** The account's own rows go with it by their foreign keys. */
const removeAccounts = (deletedBefore: Date): PurgedKind => ({
  take: async (tx) => {
    const accounts = await tx
      .selectFrom('root_user')
      .select('id')
      .where('deleted_at', '<', deletedBefore)
      .limit(MAX_ROWS_PER_PURGE)
      .execute()
    const ids = accounts.map(({ id }) => id)
    if (ids.length === 0) return 0
    await tx.deleteFrom('alert').where('root_user_id', 'in', ids).execute()
    await tx.deleteFrom('real_user').where('root_user_id', 'in', ids).execute()
    await tx.deleteFrom('root_user').where('id', 'in', ids).execute()
    return ids.length
  },
  due: rowsOf('root_user', sql`deleted_at < ${deletedBefore}`),
  why: 'the account was deleted, and TOMBSTONE_DAYS have passed',
})
