import { sql } from 'kysely'
import type { Keys } from '../auth/keys.ts'
import type { RetentionMonths } from '../config/retention.ts'
import type { Database, Sql } from '../database/database.ts'
import type { MailSender } from '../delivery/mail.ts'
import { noticeOf } from '../delivery/messages.ts'
import { chooseAccountLanguage } from '../http/language.ts'
import type { HolderLanguage } from '../http/language.ts'
import type { KeyRing } from '../encryption/key-ring.ts'
import { recordCommand } from '../trail/operator.ts'
import type { Operator } from '../trail/operator.ts'
import { eraseAccount } from './erase-account.ts'

const MOST_AT_ONCE = 100
const DAYS_OF_NOTICE = 30
/** The operator name used in the records. */
const RETENTION: Operator = { operator: 'retention', approvedBy: undefined }

/** How many holders of unused accounts were told, and how many accounts were erased. */
export interface InactiveAccountsResult {
  inactive_accounts_notified: number
  inactive_accounts_erased: number
}

interface Erased extends HolderLanguage {
  email: string | null
}

interface Inactivity {
  keys: Keys
  months: RetentionMonths['inactive_accounts']
  /** By which holders are told that the account is erased. */
  mail: MailSender
  /** Takes the error of a mail that was not sent: the account is erased then. */
  warn: (error: unknown) => void
  signal?: AbortSignal
}

/**
 * Tells holders who have been away for the given months, less 30 days, that the account will be erased, by mail through the
 * outbox of alerts; and erases the accounts of those who were told 30 days ago. A mail that could not be delivered is
 * written again; without it no account is erased. A sign-in stops it.
 */
export async function eraseInactive(
  database: Database,
  { keys, months, mail, warn, signal }: Inactivity,
): Promise<InactiveAccountsResult> {
  const done = { inactive_accounts_notified: 0, inactive_accounts_erased: 0 }
  if (months === 'none') return done
  const now = new Date()
  await forgetUndelivered(database.sql)
  let notified: number
  do {
    notified = await notifyInactive(database.sql, now, months)
    done.inactive_accounts_notified += notified
  } while (notified === MOST_AT_ONCE)
  for (const id of await listNotified(database.sql, now, months)) {
    if (signal?.aborted) break
    const { keyRing } = database
    const erased = await database.transaction((tx) => eraseIfInactive(tx, id, { keys, keyRing, now, months }))
    if (!erased) continue
    done.inactive_accounts_erased += 1
    const to = keyRing.decrypt('root_user.email', erased.email)
    if (to === null) continue
    const { subject, text } = noticeOf(chooseAccountLanguage(erased), 'account_deleted')
    await mail.sendMail({ to, subject, text }).catch(warn)
  }
  return done
}

/** How many accounts are to be told now, and how many to be erased; and since when the longest unused of each has been. */
export async function countInactiveAccounts(
  { sql: connection }: Database,
  months: RetentionMonths['inactive_accounts'],
) {
  if (months === 'none') return []
  const now = new Date()
  const why = `no sign-in for ${months} months (RETENTION)`
  const of = async (kind: string, reason: string, condition: ReturnType<typeof toNotify>) => {
    const { rows } = await sql<{ count: number; oldest: string | null }>`
      SELECT count(*)::float8 AS count, to_json(min(a.seen_at)) #>> '{}' AS oldest
      FROM account_activity a JOIN root_user u ON u.id = a.root_user_id WHERE ${condition}`.execute(
      connection,
    )
    return { kind, rows: rows[0]?.count ?? 0, oldest: rows[0]?.oldest ?? null, why: reason }
  }
  return [
    await of('inactive_accounts_notified', `${why} in 30 days`, toNotify(now, months)),
    await of('inactive_accounts_erased', `${why}, notified 30 days ago`, toErase(now, months)),
  ]
}

const unusedFor = (now: Date, months: number, days: number) =>
  sql`a.seen_at < ${now}::timestamptz - make_interval(months => ${months}) + make_interval(days => ${days})`

const toNotify = (now: Date, months: number) => sql<boolean>`
  ${unusedFor(now, months, DAYS_OF_NOTICE)} AND a.told_at IS NULL
  AND is_active_account(u) AND u.email IS NOT NULL`

const toErase = (now: Date, months: number) => sql<boolean>`
  ${unusedFor(now, months, 0)} AND u.deleted_at IS NULL
  AND a.told_at <= ${now}::timestamptz - make_interval(days => ${DAYS_OF_NOTICE})
  AND EXISTS (SELECT FROM alert l WHERE l.root_user_id = u.id AND l.kind = 'account_inactive'
    AND l.created_at = a.told_at AND l.outcome = 'sent')`

/** A mail that was given up has told nobody. */
const forgetUndelivered = (connection: Sql) =>
  sql`
  UPDATE account_activity a SET told_at = NULL FROM alert l
  WHERE a.told_at IS NOT NULL AND l.root_user_id = a.root_user_id AND l.kind = 'account_inactive'
    AND l.created_at = a.told_at AND l.due_at IS NULL AND l.outcome <> 'sent'`.execute(connection)

async function notifyInactive(connection: Sql, now: Date, months: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    WITH told AS (
      UPDATE account_activity SET told_at = ${now} WHERE root_user_id = ANY (ARRAY(
        SELECT a.root_user_id FROM account_activity a JOIN root_user u ON u.id = a.root_user_id
        WHERE ${toNotify(now, months)} LIMIT ${MOST_AT_ONCE} FOR UPDATE OF a SKIP LOCKED))
      RETURNING root_user_id
    ), mails AS (
      INSERT INTO alert (channel, kind, cause, root_user_id, created_at)
      SELECT 'mail', 'account_inactive', gen_random_uuid(), root_user_id, ${now} FROM told
    )
    SELECT count(*)::int AS count FROM told`.execute(connection)
  return rows[0]?.count ?? 0
}

async function listNotified(connection: Sql, now: Date, months: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT u.id FROM account_activity a JOIN root_user u ON u.id = a.root_user_id
    WHERE ${toErase(now, months)} ORDER BY a.seen_at LIMIT 1000`.execute(connection)
  return rows.map(({ id }) => id)
}

/** Erases an account unless its holder has come back since it was listed. Resolves to the account as it was. */
async function eraseIfInactive(
  tx: Sql,
  id: number,
  { keys, keyRing, now, months }: { keys: Keys; keyRing: KeyRing; now: Date; months: number },
): Promise<Erased | undefined> {
  const account = await tx
    .selectFrom('root_user')
    .select(['id', 'email', 'is_contact_email', 'phone', 'token_epoch', 'language', 'national_code'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (!account) return undefined
  // A sign-in at this moment waits for this row.
  const { rows } = await sql`
    SELECT FROM account_activity a JOIN root_user u ON u.id = a.root_user_id
    WHERE a.root_user_id = ${id} AND ${toErase(now, months)} FOR UPDATE OF a`.execute(tx)
  if (rows.length === 0) return undefined
  const realUserIds = await eraseAccount(tx, account, { keys, keyRing, origin: RETENTION })
  await recordCommand(tx, RETENTION, { operation: 'companion purge', realUserIds, isChange: true })
  return account
}
