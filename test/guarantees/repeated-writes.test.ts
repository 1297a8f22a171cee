import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { purge } from '@companion/server/database/purge.ts'
import { keepsResponse } from '@companion/server/http/endpoint.ts'
import { operations } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import type { Answer } from '../support/client.ts'
import { addChild, addDevice, signUp } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { goodCalls } from '../support/good-calls.ts'
import { useOpenIdProvider } from '../support/openid.ts'
import { startReceiver } from '../support/receiver.ts'
import { useServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'
import { share, shares } from '../support/shares.ts'
import { scores } from '../support/surveys.ts'
import { tally } from '../support/tally.ts'
import { until } from '../support/until.ts'
import { serviceFor } from '../support/webhooks.ts'

/* A write with an Idempotency-Key happens once, and is answered the same however often it is sent. */

const provider = useOpenIdProvider()
const server = useServer(() => ({ SOCIAL_PROVIDERS: provider.configuration }))

const SURVEY = '/api/v1/beta/survey'
const inProgress = { status: 409, body: { detail: 'Request is in progress' } }
const otherInput = { status: 422, body: { detail: 'Idempotency key was used for another request' } }

let parent: Account
let child: number
let key: string
beforeEach(async () => {
  parent = await signUp(server)
  child = (await addChild(server, parent.token)).real_user_id
  key = randomUUID()
})

const submit = (
  json: object = scores(1),
  { as = parent, ...headers }: { as?: Pick<Account, 'token'> } & Record<string, any> = {},
) =>
  server.post(SURVEY, {
    token: as.token,
    json: { real_user_id: child, ...json },
    headers: { 'idempotency-key': key, ...headers },
  })
const count = async (table: string, where: string, values: unknown[]) =>
  (await server.database.pool.query(`SELECT FROM ${table} WHERE ${where}`, values)).rowCount
const surveys = () => count('survey', 'real_user_id = $1', [child])
const replayed = ({ headers }: Answer) => headers.get('idempotency-replayed')

const NOT_REPEATABLE = ['auth.signOut', 'account.delete']

test('every operation that keeps its response answers the same request the same', async () => {
  let repeat: ((path: string, send: () => Promise<Answer>) => Promise<Answer>) | undefined
  const repeating =
    (name: 'post' | 'patch' | 'delete'): TestServer['post'] =>
    (path, options) => {
      const used = randomUUID()
      const send = () =>
        server[name](path, { ...options, headers: { ...options?.headers, 'idempotency-key': used } })
      return repeat ? repeat(path, send) : server[name](path, options)
    }
  const calls = await goodCalls(
    Object.assign(Object.create(server), {
      post: repeating('post'),
      patch: repeating('patch'),
      delete: repeating('delete'),
    }),
    provider,
  )
  const kept = new Set(
    operations(appRouter).flatMap(({ path, operation }) => (keepsResponse(operation) ? [path] : [])),
  )
  const seen: string[] = []
  for (const [path, call] of calls) {
    repeat = async (_path, send) => {
      const first = await send()
      if (NOT_REPEATABLE.includes(path) || !kept.has(path)) return first
      const second = await send()
      expect([path, second.status, second.body, replayed(second)]).toEqual([path, 200, first.body, 'true'])
      expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
      seen.push(path)
      return first
    }
    const answer = await call()
    expect([path, answer.status, replayed(answer)]).toEqual([path, 200, null])
  }
  expect(seen.toSorted()).toEqual([...kept].filter((path) => !NOT_REPEATABLE.includes(path)).toSorted())
})

describe('one key', () => {
  test('counts for the same input in any order of its fields, on both surfaces', async () => {
    const first = await submit()
    const { attention_score, ...others } = { ...scores(1), real_user_id: child }
    const again = await submit({ ...others, attention_score })
    expect(again).toMatchObject({ status: 200, body: first.body })
    const rpc = await server.post('/trpc/surveys.submit', {
      token: parent.token,
      json: { real_user_id: child, ...scores(1) },
      headers: { 'idempotency-key': key },
    })
    expect(rpc).toMatchObject({ status: 200, body: { result: { data: first.body } } })
    expect([replayed(first), replayed(again), replayed(rpc)]).toEqual([null, 'true', 'true'])
    expect(await surveys()).toBe(1)
  })

  test('is refused for other input, and means nothing to others and elsewhere', async () => {
    await submit()
    expect(await submit(scores(2))).toMatchObject(otherInput)
    const other = await signUp(server)
    const its = (await addChild(server, other.token)).real_user_id
    expect(replayed(await submit({ ...scores(1), real_user_id: its }, { as: other }))).toBeNull()
    const note = await server.post('/api/v1/beta/event', {
      token: parent.token,
      json: { real_user_id: child, created_at: '2026-03-01' },
      headers: { 'idempotency-key': key },
    })
    expect([note.status, replayed(note)]).toEqual([200, null])
    expect(await surveys()).toBe(1)
  })

  test.each(['x'.repeat(15), 'x'.repeat(256), `${'x'.repeat(16)} y`, `${'x'.repeat(16)}é`, ''])(
    'must be 16 to 255 visible characters, unlike %j',
    async (bad) => {
      key = bad
      const { status, body } = await submit()
      expect([status, body.detail[0].loc]).toEqual([422, ['header', 'Idempotency-Key']])
      expect(await surveys()).toBe(0)
    },
  )

  test('of many calls at once lets one happen', async () => {
    for (let round = 0; round < 5; round++) {
      key = randomUUID()
      const answers = await Promise.all(Array.from({ length: 20 }, () => submit()))
      const told = tally(answers)
      expect(
        Object.keys(told).filter((each) => each !== '200' && each !== '409 Request is in progress'),
      ).toEqual([])
      expect(new Set(answers.flatMap(({ body }) => body.survey_id ?? [])).size).toBe(1)
      expect(await surveys()).toBe(round + 1)
    }
  })

  test('is taken while the first call is at work', async () => {
    const holder = await server.database.pool.connect()
    await holder.query('BEGIN')
    await holder.query('SELECT FROM real_user WHERE id = $1 FOR UPDATE', [child])
    const first = submit()
    try {
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
      await until(async () => (await holder.query(waiting)).rowCount === 1)
      expect(await submit()).toMatchObject(inProgress)
    } finally {
      await holder.query('COMMIT')
      holder.release()
    }
    const { status, body } = await first
    expect(status).toBe(200)
    expect((await submit()).body).toEqual(body)
    expect(await surveys()).toBe(1)
  })

  test('is free again after a day, and purged', async () => {
    const first = await submit()
    const aged = () =>
      server.database.pool.query(`UPDATE kept_response SET created_at = created_at - interval '24 hours'`)
    await aged()
    const second = await submit()
    expect(second.body.survey_id).not.toBe(first.body.survey_id)
    await aged()
    const purged = await purge(server.database, server.config)
    expect(purged?.['kept_responses']).toBeGreaterThan(0)
    expect(await count('kept_response', 'true', [])).toBe(0)
  })
})

test('errors are kept, but for those that a repeat may change', async () => {
  const missing = await submit({ ...scores(1), real_user_id: 2 ** 30 })
  expect(missing.status).toBe(401)
  // Not kept: the key is free.
  expect((await submit()).status).toBe(200)

  const end = () =>
    server.delete('/api/v1/beta/grant/1073741824', {
      token: parent.token,
      headers: { 'idempotency-key': key },
    })
  const [first, second] = [await end(), await end()]
  expect(second).toMatchObject({ status: 404, body: first.body })
  expect([replayed(first), replayed(second)]).toEqual([null, 'true'])

  key = randomUUID()
  const invalid = await submit({ attention_score: 'x' })
  const again = await submit({ attention_score: 'x' })
  expect(again).toMatchObject({ status: 422, body: invalid.body })
  expect([replayed(invalid), replayed(again)]).toEqual([null, 'true'])
  expect(await submit()).toMatchObject(otherInput)
})

test('who may no longer reach the child gets no repeat', async () => {
  const guardian = await signUp(server)
  const { share_id } = await share(server, parent, guardian, { real_user_id: child, role: 'guardian' })
  expect((await submit(scores(3), { as: guardian })).status).toBe(200)
  expect(replayed(await submit(scores(3), { as: guardian }))).toBe('true')
  await shares(server).end(parent, share_id)
  const refused = await submit(scores(3), { as: guardian })
  expect(refused).toMatchObject({ status: 401, body: { detail: 'Not authorized user' } })
  expect(await surveys()).toBe(1)
})

test('what is kept is encrypted, and goes with the account', async () => {
  const device = await addDevice(server)
  const json = { first_name: 'Canary-Minji', last_name: '', birthdate: '20150301', gender: 'F', ...device }
  const created = await server.post('/api/v2/beta/user/create-real-user', {
    token: parent.token,
    json,
    headers: { 'idempotency-key': key },
  })
  expect(created.status).toBe(200)
  const kept = async () =>
    (
      await server.database.pool.query<{ response: string }>(
        'SELECT response FROM kept_response WHERE root_user_id = $1',
        [parent.id],
      )
    ).rows
  expect(await kept()).toEqual([{ response: expect.not.stringContaining('Canary') }])
  await server.delete('/api/v1/beta/user/root-user', { token: parent.token })
  expect(await kept()).toEqual([])
})

test('webhooks that are created at once under one key are one, which is verified once', async () => {
  const { own } = await serviceFor(server, parent, [child])
  const receiver = await startReceiver()
  const create = () =>
    server.post('/api/v1/beta/webhook', {
      token: own,
      json: { url: receiver.url },
      headers: { 'idempotency-key': key },
    })
  const answers = await Promise.all([create(), create(), create()])
  const last = await create()
  expect(last.status).toBe(200)
  expect(new Set([...answers, last].flatMap(({ body }) => body.secret ?? [])).size).toBe(1)
  expect(receiver.received).toHaveLength(1)
  expect((await server.get('/api/v1/beta/webhook', { token: own })).body).toHaveLength(1)
})
