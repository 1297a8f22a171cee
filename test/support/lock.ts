import { inject } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { urlOf } from './database-url.ts'
import type { TestServer } from './server.ts'
import { until } from './until.ts'

/**
 * Waits until at least `count` statements wait for locks that others hold; resolves to how many do. A statement may wait on any
 * node of the database.
 */
export async function somebodyWaits({ pool }: Pick<Database, 'pool'>, count = 1): Promise<number> {
  const waiting = `SELECT DISTINCT pid FROM pg_locks l JOIN pg_stat_activity a USING (pid)
    WHERE NOT l.granted AND a.datname = current_database()`
  const { rows } = await pool.query<{ name: string }>('SELECT current_database() AS name')
  const others = await Promise.all(
    inject('nodeUrls')
      .slice(1)
      .map((node) => openDatabase(urlOf(node, rows[0]?.name ?? ''), { pool: 1 })),
  )
  const pools = [pool, ...others.map((other) => other.pool)]
  try {
    return await until(async () => {
      const found = await Promise.all(pools.map((each) => each.query(waiting)))
      const sum = found.reduce((total, { rowCount }) => total + (rowCount ?? 0), 0)
      return sum >= count ? sum : undefined
    })
  } finally {
    await Promise.all(others.map((other) => other.close()))
  }
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
