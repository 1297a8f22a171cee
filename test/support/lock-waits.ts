import type { Database } from '@companion/server/database/database.ts'
import type { TestServer } from './server.ts'
import { until } from './until.ts'

const WAITING = `SELECT count(DISTINCT pid)::int AS count FROM pg_locks l JOIN pg_stat_activity a USING (pid)
  WHERE NOT l.granted AND a.datname = current_database()`
/** A caller of a distributed database may wait on any of its nodes. */
const WAITING_ON_NODES = `SELECT sum(result::int)::int AS count FROM run_command_on_all_nodes($$${WAITING}$$)`

/** Waits until at least `count` statements wait for locks that others hold; resolves to how many do. */
export async function somebodyWaits({ pool }: Pick<Database, 'pool'>, count = 1): Promise<number> {
  const { rowCount } = await pool.query(`SELECT FROM pg_extension WHERE extname = 'citus'`)
  const waiting = rowCount ? WAITING_ON_NODES : WAITING
  return until(async () => {
    const { rows } = await pool.query<{ count: number }>(waiting)
    const found = rows[0]?.count ?? 0
    return found >= count ? found : undefined
  })
}

/**
 * Makes two calls meet without luck: holds the rows that `lock` selects while `call` runs, waits until `waiting`
 * statements of `call` wait for them, changes them with `change` (or does what it says elsewhere), then lets `call` go on.
 */
export async function inBetween<Result>(
  { database }: Pick<TestServer, 'database'>,
  {
    lock,
    change,
    call,
    waiting = 1,
  }: {
    lock: string
    change: string | (() => Promise<unknown>)
    call: () => Promise<Result>
    waiting?: number
  },
): Promise<Result> {
  const holder = await database.pool.connect()
  try {
    await holder.query('BEGIN')
    await holder.query(lock)
    const result = call()
    await somebodyWaits(database, waiting)
    await (typeof change === 'string' ? holder.query(change) : change())
    await holder.query('COMMIT')
    return await result
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
  }
}
