import { createCompanion, memoryStorage } from '@companion/sdk'
import type { OutboxEvent } from '@companion/sdk'
import { operations } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import { expect, onTestFinished, test } from 'vitest'
import { addChild, devlogItem, PASSWORD, signUp } from '../support/family.ts'
import { DAY, goodCalls } from '../support/good-calls.ts'
import { useOpenIdProvider } from '../support/outside/openid.ts'
import { useServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const INTERNAL = 'Internal server error. Please try again later.'
const provider = useOpenIdProvider()
const server = useServer(() => ({ SOCIAL_PROVIDERS: provider.configuration }))

/** Makes the database read-only, as a primary is that was replaced, or takes writes again. Connections stay as they are. */
async function becomeReadOnly(isReadOnly: boolean): Promise<void> {
  const { pool } = server.database
  const name = new URL(server.databaseUrl).pathname.slice(1)
  const client = await pool.connect()
  await client.query('SET default_transaction_read_only = off')
  await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${isReadOnly}`)
  client.release(true)
}

/** Makes it so and cuts all connections, as a restart does. */
async function restartReadOnly(): Promise<void> {
  onTestFinished(() => becomeReadOnly(false))
  await becomeReadOnly(true)
  const { pool } = server.database
  await Promise.all(Array.from({ length: 3 }, () => pool.query('SELECT pg_sleep(0.05)')))
  // A session that cuts its own connection may end before it has cut the others.
  const client = await pool.connect()
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )
  client.release(true)
  // PostgreSQL ends a session a moment after it is told to. Until then the pool gives its connection to the next caller.
  await until(() => pool.totalCount === 0)
}

/** A ping asks the receiver and writes nothing; a challenge is kept nowhere. */
const WRITE_NOTHING = new Set([
  'webhooks.ping',
  'auth.openClinicianInvitation',
  'auth.passkeySignInOptions',
  'account.newPasskeyOptions',
])
const isRead = new Map(
  operations(appRouter).map(({ path, operation }) => [
    path,
    operation.method === 'GET' || WRITE_NOTHING.has(path),
  ]),
)

test('a read-only database is no error of a caller of any operation, and is over when it is over', async () => {
  const calls = await goodCalls(server, provider)
  const responsesOfAll = async () => {
    const responses: Record<string, string> = {}
    for (const [name, call] of calls) {
      const { status, body } = await call()
      responses[name] = status === 200 ? '200' : `${status} ${body.detail}`
    }
    return responses
  }
  const expected = (write: string) =>
    Object.fromEntries(calls.map(([name]) => [name, isRead.get(name) ? '200' : write]))

  expect(await server.get('/readyz')).toMatchObject({ status: 200 })
  await restartReadOnly()
  expect(await responsesOfAll()).toEqual(expected(`500 ${INTERNAL}`))
  expect(await server.get('/readyz')).toMatchObject({
    status: 503,
    body: { status: 'database out of reach, read-only or not up to date' },
  })

  // Another server has taken its place, and the connections to the old one are still open.
  await becomeReadOnly(false)
  await until(async () => (await server.get('/readyz')).status === 200)
  expect(await responsesOfAll()).toEqual(expected('200'))
})

test('without anybody who asks /readyz, connections to the old primary are given up all the same', async () => {
  const { token } = await signUp(server)
  const { real_user_id } = await addChild(server, token)
  const save = () =>
    server.post('/api/v1/beta/event', { token, json: { real_user_id, created_at: DAY, memo: 'Slept' } })
  await restartReadOnly()
  const statuses = await Promise.all(Array.from({ length: 5 }, save))
  expect(statuses.map(({ status }) => status)).toEqual(Array(5).fill(500))
  await becomeReadOnly(false)
  await until(async () => (await save()).status === 200)
})

test.each([
  ['a missing table', '42P01'],
  ['a missing permission', '42501'],
  ['a deadlock', '40P01'],
  ['a lock that is not granted in time', '55P03'],
])('%s is no error of the caller', async (_what, code) => {
  const { token } = await signUp(server)
  const { real_user_id } = await addChild(server, token)
  const { pool } = server.database
  // A check, because no distributed table has triggers. A statement by itself, or a node does not know the function.
  await pool.query(`
    CREATE FUNCTION fail(int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE SQLSTATE '${code}'; END $$`)
  await pool.query('ALTER TABLE event ADD CONSTRAINT fail CHECK (fail(id)) NOT VALID')
  onTestFinished(async () => {
    await pool.query('ALTER TABLE event DROP CONSTRAINT fail')
    await pool.query('DROP FUNCTION fail')
  })
  const response = await server.post('/api/v1/beta/event', {
    token,
    json: { real_user_id, created_at: DAY, memo: 'Slept' },
  })
  expect(response).toMatchObject({ status: 500, body: { detail: INTERNAL } })
})

test('a note that a parent makes in that time waits on the phone and is stored afterwards', async () => {
  const { email, token } = await signUp(server)
  const { real_user_id, unique_id } = await addChild(server, token)
  const companion = createCompanion({ baseUrl: server.url, storage: memoryStorage() })
  await companion.auth.signIn({ username: email, password: PASSWORD })
  const events: OutboxEvent['type'][] = []
  companion.outbox.subscribe(({ type }) => events.push(type))
  await restartReadOnly()
  await companion.outbox.saveEvent({ real_user_id, created_at: DAY, memo: 'Fever in the night' })
  const night = devlogItem(unique_id, `${DAY}T23:30:00`)
  await companion.outbox.uploadDevlogs([{ ...night, detail_data: { ...night.detail_data, finish_flag: 1 } }])
  await until(() => events.filter((type) => type === 'delayed').length >= 2)
  await companion.outbox.send()
  expect((await companion.outbox.list()).map(({ error }) => error)).toEqual([undefined, undefined])
  await becomeReadOnly(false)
  await until(async () => (await server.get('/readyz')).status === 200)
  await companion.outbox.send()
  expect(await companion.outbox.list()).toEqual([])
  expect(events).not.toContain('rejected')
  const day = await companion.calendar.readDay({ real_user_id, event_date: DAY })
  expect(day).toMatchObject({ memo: 'Fever in the night' })
  const { treatment_data } = await companion.devlogs.detail({ unique_id, event_date: DAY })
  expect(treatment_data).toHaveLength(1)
})
