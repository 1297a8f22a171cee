import type { MikroORM } from '@mikro-orm/postgresql'

/** Of the process that gives a database another form: distributed, led by months, or as before. */
const LOCK = 7_305_011_122

/** In SQL, the sessions that hold it. They do nothing else. */
export const conversionLockHolders = `SELECT pid FROM pg_locks
  WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND (classid::bigint << 32) + objid::bigint = ${LOCK}`

/** Thrown when another process already runs this exclusive task. */
export class ConversionUnderWay extends Error {
  override name = 'ConversionUnderWay'
  override message =
    'Another process is at work with migrate --distributed or --monthly. Run this again when that has ended.'
}

/** Does `work` while no other process does such work on this database; otherwise throws `ConversionUnderWay`. */
export async function withMutex<Result>(orm: MikroORM, work: () => Promise<Result>): Promise<Result> {
  const pool = await orm.em.getConnection().getNativeClient()
  const guard = await pool.connect()
  try {
    // Held by a transaction, not by a session: this works behind a transaction pooler too.
    await guard.query('BEGIN')
    // Without parameters: those would leave a snapshot, for whose end the building of indexes waits.
    const { rows } = await guard.query<{ is_free: boolean }>(
      `SELECT pg_try_advisory_xact_lock(${LOCK}) AS is_free`,
    )
    if (!rows[0]?.is_free) throw new ConversionUnderWay()
    return await work()
  } finally {
    await guard.query('ROLLBACK').catch(() => undefined)
    guard.release()
  }
}
