import { setTimeout as pause } from 'node:timers/promises'
import type { TestServer } from './server.ts'

/**
 * Holds the rows that `lock` selects while `call` is under way, changes them by `change` as soon as the call waits for
 * them, and lets it go on: what happens when two calls meet, without luck.
 */
export async function inBetween<Result>(
  server: TestServer,
  { lock, change, call }: { lock: string; change: string; call: () => Promise<Result> },
): Promise<Result> {
  const holder = await server.database.pool.connect()
  try {
    await holder.query('BEGIN')
    await holder.query(lock)
    const result = call()
    await waitingForLocks(server, 1)
    await holder.query(change)
    await holder.query('COMMIT')
    return await result
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
  }
}

/** Resolves to how many statements wait for locks, as soon as there are `least`. */
export async function waitingForLocks({ database: { pool } }: TestServer, least: number): Promise<number> {
  const waiting = `SELECT count(DISTINCT pid)::int AS count FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE NOT l.granted AND a.datname = current_database()`
  const deadline = Date.now() + 20_000
  for (;;) {
    const { rows } = await pool.query<{ count: number }>(waiting)
    const count = rows[0]?.count ?? 0
    if (count >= least) return count
    if (Date.now() > deadline) throw new Error(`Only ${count} of ${least} came to wait for locks`)
    await pause(5)
  }
}
