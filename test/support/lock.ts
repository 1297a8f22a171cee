import type { Database } from '@companion/server/database/database.ts'
import type { TestServer } from './server.ts'
import { until } from './until.ts'

/** Waits until so many statements wait for locks that others hold. */
export async function somebodyWaits({ pool }: Pick<Database, 'pool'>, count = 1): Promise<void> {
  const waiting = `SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE NOT l.granted AND a.datname = current_database()`
  await until(async () => ((await pool.query(waiting)).rowCount ?? 0) >= count)
}

/**
 * Makes two calls meet without luck: holds the rows that `lock` selects while `call` runs, waits until `waiting`
 * statements of `call` wait for them, changes them with `change`, then lets `call` go on.
 */
export async function inBetween<Result>(
  { database }: Pick<TestServer, 'database'>,
  {
    lock,
    change,
    call,
    waiting = 1,
  }: { lock: string; change: string; call: () => Promise<Result>; waiting?: number },
): Promise<Result> {
  const holder = await database.pool.connect()
  try {
    await holder.query('BEGIN')
    await holder.query(lock)
    const result = call()
    await somebodyWaits(database, waiting)
    await holder.query(change)
    await holder.query('COMMIT')
    return await result
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
  }
}
