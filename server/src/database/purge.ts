import type { Logger } from 'pino'
import type { Database, Sql } from './database.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** How many rows of each kind were purged. */
export type Purged = Record<
  | 'sms_codes'
  | 'used_tokens'
  | 'reset_tokens'
  | 'sessions'
  | 'known_addresses'
  | 'alerts'
  | 'rate_limits'
  | 'recorded_addresses'
  | 'accounts',
  number
>

/**
 * Deletes what has served its time, in one transaction: expired codes, tokens and counters, addresses, and the
 * tombstones of deleted accounts with whatever is left of them. Undefined when another process is at it.
 */
export function purge(
  database: Database,
  { tombstoneDays }: { tombstoneDays: number },
): Promise<Purged | undefined> {
  const now = Date.now()
  const before = (ms: number) => new Date(now - ms)
  return database.transaction(async (sql) => {
    if (!(await isAlone(sql))) return undefined
    const codes = await sql.deleteFrom('sms_code').where('expires_at', '<', before(0)).executeTakeFirst()
    const used = await sql.deleteFrom('used_token').where('expires_at', '<', before(0)).executeTakeFirst()
    // A day longer than they work, so that the reset page can say why one does not.
    const reset = await sql.deleteFrom('reset_token').where('expires_at', '<', before(DAY)).executeTakeFirst()
    // As long as a refresh token lives.
    const sessions = await sql
      .deleteFrom('session')
      .where('issued_at', '<', before(14 * DAY))
      .executeTakeFirst()
    const known = await sql
      .deleteFrom('known_address')
      .where('last_seen_at', '<', before(90 * DAY))
      .executeTakeFirst()
    // Until then they keep a treatment that arrives again from alerting again.
    const alerts = await sql
      .deleteFrom('alert')
      .where('due_at', 'is', null)
      .where('created_at', '<', before(90 * DAY))
      .executeTakeFirst()
    const limits = await sql.deleteFrom('rate_limit').where('expire', '<', BigInt(now)).executeTakeFirst()
    const addresses = await sql
      .updateTable('security_record')
      .set({ address: null })
      .where('address', 'is not', null)
      .where('recorded_at', '<', before(tombstoneDays * DAY))
      .executeTakeFirst()
    return {
      sms_codes: Number(codes.numDeletedRows),
      used_tokens: Number(used.numDeletedRows),
      reset_tokens: Number(reset.numDeletedRows),
      sessions: Number(sessions.numDeletedRows),
      known_addresses: Number(known.numDeletedRows),
      alerts: Number(alerts.numDeletedRows),
      rate_limits: Number(limits.numDeletedRows),
      recorded_addresses: Number(addresses.numUpdatedRows),
      accounts: await purgeAccounts(sql, before(tombstoneDays * DAY)),
    }
  })
}

/** The account's own rows go with it by their foreign keys. */
async function purgeAccounts(sql: Sql, deletedBefore: Date): Promise<number> {
  const accounts = sql.selectFrom('root_user').select('id').where('deleted_at', '<', deletedBefore)
  await sql.deleteFrom('alert').where('root_user_id', 'in', accounts).execute()
  await sql.deleteFrom('real_user').where('root_user_id', 'in', accounts).execute()
  const { numDeletedRows } = await sql
    .deleteFrom('root_user')
    .where('deleted_at', '<', deletedBefore)
    .executeTakeFirst()
  return Number(numDeletedRows)
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

/** Purges now and every hour until stopped; `stop` waits for one that runs. */
export function startPurging(
  database: Database,
  { tombstoneDays, log }: { tombstoneDays: number; log: Logger },
): { stop: () => Promise<void> } {
  const run = async () => {
    try {
      const purged = await purge(database, { tombstoneDays })
      if (purged) log.info({ purged }, 'purged')
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
      await running
    },
  }
}
