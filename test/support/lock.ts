import type { Database } from '@companion/server/database/database.ts'
import type { TestServer } from './server.ts'
import { until } from './until.ts'

/** Waits until a statement waits for a lock that another holds. */
export async function somebodyWaits({ pool }: Pick<Database, 'pool'>): Promise<void> {
  const waiting = `SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE NOT l.granted AND a.datname = current_database()`
  await until(async () => (await pool.query(waiting)).rowCount)
}

/**
 * Makes two calls meet without luck: holds the rows that `lock` selects while `call` runs, waits until `call` waits
 * for them, changes them with `change`, then lets `call` go on.
 */
export async function inBetween<Result>(
  { database }: Pick<TestServer, 'database'>,
  { lock, change, call }: { lock: string; change: string; call: () => Promise<Result> },
): Promise<Result> {
  const holder = await database.pool.connect()
  try {
    await holder.query('BEGIN')
    await holder.query(lock)
    const result = call()
    await somebodyWaits(database)
    await holder.query(change)
    await holder.query('COMMIT')
    return await result
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
  }
}
