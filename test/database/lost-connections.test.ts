import type { EntityManager } from '@mikro-orm/postgresql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { bareDatabase, cloneDatabase } from '../support/database.ts'
import type { OwnDatabase } from '../support/database.ts'
import { somebodyWaits } from '../support/lock-waits.ts'
import { until } from '../support/until.ts'

let own: OwnDatabase
let database: Database
let admin: Database
beforeAll(async () => {
  own = await cloneDatabase()
  database = await openDatabase(own.url, { pool: 2 })
  admin = await openDatabase(own.url, { pool: 1 })
})
afterAll(async () => {
  await Promise.all([database.close(), admin.close()])
  await own.drop()
})

const pidOf = async (_sql: unknown, em: EntityManager): Promise<number> => {
  const [row] = await em.execute<{ pid: number }[]>('SELECT pg_backend_pid() AS pid')
  return row?.pid ?? 0
}
const terminate = async (pid: number) => {
  await admin.pool.query('SELECT pg_terminate_backend($1)', [pid])
  await until(async () => {
    const { rowCount } = await admin.pool.query('SELECT FROM pg_stat_activity WHERE pid = $1', [pid])
    return rowCount === 0
  })
}
/** The pool may not have heard yet that a connection is lost, and lends it once more. */
const workAgain = () => until(() => database.transaction(pidOf).catch(() => undefined))

test.each<[string, (sql: unknown, em: EntityManager) => Promise<unknown>]>([
  [
    'before a statement',
    async (sql, em) => {
      await terminate(await pidOf(sql, em))
      return pidOf(sql, em)
    },
  ],
  ['before the commit', async (sql, em) => terminate(await pidOf(sql, em))],
  [
    'before the rollback',
    async (sql, em) => {
      await terminate(await pidOf(sql, em))
      throw new Error('refused')
    },
  ],
])('a transaction that loses its connection %s gives it back', async (_when, work) => {
  for (let n = 0; n < 4; n += 1)
    await expect(database.transaction(work)).rejects.toThrow(/connection|queryable|EPIPE|ECONNRESET/i)
  await workAgain()
  expect(database.pool.idleCount).toBe(database.pool.totalCount)
})

test('connections that are lost while they rest leave the pool', async () => {
  for (let n = 0; n < 4; n += 1) {
    await terminate(await database.transaction(pidOf))
    await workAgain()
  }
  expect(database.pool.idleCount).toBe(database.pool.totalCount)
})

test('a migration that loses its connection fails instead of waiting for ever, and can be begun again', async () => {
  const bare = await bareDatabase()
  const [migrated, holder] = [await openDatabase(bare.url), await openDatabase(bare.url, { pool: 2 })]
  try {
    const client = await holder.pool.connect()
    await client.query('SELECT pg_advisory_lock(7305011120)')
    const failure = migrated.migrate().then(
      () => 'none',
      (error: unknown) => String(error),
    )
    await somebodyWaits(holder)
    await holder.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_stat_activity USING (pid)
       WHERE NOT granted AND datname = current_database()`,
    )
    expect(await failure).toMatch(/connection|queryable|EPIPE|ECONNRESET/i)
    client.release(true)
    expect(await migrated.migrate()).toContain('0001-schema')
  } finally {
    await Promise.all([migrated.close(), holder.close()])
    await bare.drop()
  }
})
