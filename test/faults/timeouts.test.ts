import { openDatabase } from '@companion/server/database/database.ts'
import { expect, onTestFinished, test } from 'vitest'
import { bareDatabase, cloneDatabase } from '../support/database.ts'
import { startProxy } from '../support/machines/proxy.ts'
import { startServer } from '../support/server.ts'

const AWAY = {
  status: 503,
  body: { detail: 'Part of the service is not available. Please try again later.' },
}
const INTERNAL = { status: 500, body: { detail: 'Internal server error. Please try again later.' } }
const PATH = '/api/v1/gamma/device/history?unique_id=00000000-0000-4000-8000-000000000000'

/**
 * A server that reaches its database through a proxy and lets statements take five seconds, which what is to be served
 * does not take on a busy machine either.
 */
async function impatientServer(environment: Record<string, string> = {}) {
  const cloned = await cloneDatabase()
  const proxy = await startProxy(cloned.url)
  const server = await startServer({ DATABASE_STATEMENT_TIMEOUT: '5', ...environment }, proxy.url)
  onTestFinished(async () => {
    await server.stop()
    await proxy.close()
    await cloned.drop()
  })
  return { ...server, proxy, ask: () => server.get(PATH) }
}

test('a statement that takes too long fails, and the next is served', async () => {
  const { database, ask } = await impatientServer({ DATABASE_POOL: '2' })
  const holder = await database.pool.connect()
  holder.on('error', () => {})
  await holder.query('BEGIN; LOCK TABLE device')
  expect(await ask()).toMatchObject(INTERNAL)
  await holder.query('ROLLBACK')
  holder.release()
  expect(await ask()).toMatchObject({ status: 200 })
})

test('a database that falls silent is given up, and with it its connections', async () => {
  const { proxy, ask, database } = await impatientServer({ DATABASE_POOL: '2' })
  await ask()
  const open = await database.pool.connect()
  proxy.become('silent')
  // One that has been asked before it fell silent, within a transaction and without.
  const asked = open.query('SELECT 1').then(
    () => 'answered',
    (error: Error) => error.message,
  )
  const transaction = database
    .transaction((sql) => sql.selectFrom('device').select('id').execute())
    .then(
      () => 'answered',
      () => 'failed',
    )
  expect(await ask()).toMatchObject(AWAY)
  expect(await asked).toContain('terminated')
  expect(await transaction).toBe('failed')
  open.release()
  await expect.poll(() => database.pool.totalCount).toBe(0)
  proxy.become('open')
  expect(await ask()).toMatchObject({ status: 200 })
})

test('a request waits for a connection no longer than five seconds', async () => {
  const { database, ask } = await impatientServer({ DATABASE_POOL: '1' })
  expect(database.pool.options.connectionTimeoutMillis).toBe(5000)
  const only = await database.pool.connect()
  expect(await ask()).toMatchObject(AWAY)
  only.release()
  expect(await ask()).toMatchObject({ status: 200 })
})

test('migrations may take longer than a statement', async () => {
  const { url, drop } = await bareDatabase()
  const [other, database] = await Promise.all([openDatabase(url), openDatabase(url, { statementSeconds: 5 })])
  const holder = await other.pool.connect()
  // The lock by which processes that start together wait for each other.
  await holder.query('BEGIN; SELECT pg_advisory_xact_lock(7305011120)')
  const migrated = database.migrate()
  await expect(database.pool.query('SELECT pg_sleep(60)')).rejects.toThrow('statement timeout')
  await holder.query('COMMIT')
  holder.release()
  expect((await migrated).length).toBeGreaterThan(0)
  expect(await database.isReady()).toBe(true)
  expect(await database.migrate()).toEqual([])
  await Promise.all([other.close(), database.close()])
  await drop()
})
