import { randomUUID } from 'node:crypto'
import { createServer } from 'node:net'
import { beforeEach, describe, expect, test } from 'vitest'
import { MAX_RESPONSES_PER_CALLER, deleteOldestKeptResponses } from '@companion/server/auth/kept-response.ts'
import { purge } from '@companion/server/retention/purge.ts'
import { keepsResponseByKey } from '@companion/server/http/endpoint.ts'
import { operations } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import type { TestResponse } from '../support/client.ts'
import {
  acceptInvitation,
  addClinician,
  authenticatorOf,
  clinicOf,
  invitationTo,
} from '../support/clinicians.ts'
import type { Clinician } from '../support/clinicians.ts'
import { clinics, connectClinic, newClinic } from '../support/clinics.ts'
import type { AddedClinic } from '../support/clinics.ts'
import { addChild, addDevice, signUp } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { goodCalls } from '../support/good-calls.ts'
import { useOpenIdProvider } from '../support/outside/openid.ts'
import { startReceiver } from '../support/outside/receiver.ts'
import { closedPort } from '../support/outside/local-server.ts'
import { startServer, useServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'
import { addMember, share, shares } from '../support/shares.ts'
import { scores } from '../support/surveys.ts'
import { tally } from '../support/response-tally.ts'
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
const replayed = ({ headers }: TestResponse) => headers.get('idempotency-replayed')

const NOT_REPEATABLE = new Set(['auth.signOut', 'account.delete'])

test('every operation that keeps its response answers the same request the same', async () => {
  let repeat: ((path: string, send: () => Promise<TestResponse>) => Promise<TestResponse>) | undefined
  const repeating =
    (name: 'post' | 'put' | 'patch' | 'delete'): TestServer['post'] =>
    (path, options) => {
      const used = randomUUID()
      const send = () =>
        server[name](path, { ...options, headers: { ...options?.headers, 'idempotency-key': used } })
      return repeat ? repeat(path, send) : server[name](path, options)
    }
  const calls = await goodCalls(
    Object.assign(Object.create(server), {
      post: repeating('post'),
      put: repeating('put'),
      patch: repeating('patch'),
      delete: repeating('delete'),
    }),
    provider,
  )
  const kept = new Set(
    operations(appRouter).flatMap(({ path, operation }) => (keepsResponseByKey(operation) ? [path] : [])),
  )
  const seen: string[] = []
  for (const [path, call] of calls) {
    repeat = async (_path, send) => {
      const first = await send()
      if (NOT_REPEATABLE.has(path) || !kept.has(path)) return first
      const second = await send()
      expect([path, second.status, second.body, replayed(second)]).toEqual([path, 200, first.body, 'true'])
      expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
      seen.push(path)
      return first
    }
    const response = await call()
    expect([path, response.status, replayed(response)]).toEqual([path, 200, null])
  }
  expect(seen.toSorted()).toEqual([...kept].filter((path) => !NOT_REPEATABLE.has(path)).toSorted())
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
      const responses = await Promise.all(Array.from({ length: 20 }, () => submit()))
      const told = tally(responses)
      expect(
        Object.keys(told).filter((each) => each !== '200' && each !== '409 Request is in progress'),
      ).toEqual([])
      expect(new Set(responses.flatMap(({ body }) => body.survey_id ?? [])).size).toBe(1)
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

test('an operation on a clinic says who may still be answered', () => {
  const silent = operations(appRouter).filter(
    ({ operation }) =>
      keepsResponseByKey(operation) && /\/clinic\/.*\{/.test(operation.path) && !operation.assertRepeatable,
  )
  expect(silent.map(({ path }) => path)).toEqual([])
})

describe('a repeat in a clinic', () => {
  const CLINIC_PATH = (clinic_id: number, path: string) => `/api/v1/beta/clinic/${clinic_id}/${path}`
  const headers = () => ({ 'idempotency-key': key })
  const remove = async (clinic_id: number, admin: Clinician, { email }: Clinician) => {
    const { members, removeMember } = clinicOf(server, clinic_id)
    const member = (await members(admin)).body.members.find((each: { email: string }) => each.email === email)
    expect(await removeMember(admin, member.member_id)).toMatchObject({ status: 200 })
  }
  const noClinic = { status: 404, body: { detail: 'Clinic not found' } }
  const notAuthorized = { status: 401, body: { detail: 'Not authorized user' } }

  let clinic: AddedClinic
  let admin: Clinician
  let doctor: Clinician
  beforeEach(async () => {
    clinic = await newClinic(server)
    admin = await addClinician(server, clinic.clinic_id, { role: 'admin' })
    doctor = await addClinician(server, clinic.clinic_id, { role: 'admin' })
    await connectClinic(server, parent, { code: clinic.code, real_user_id: child })
  })

  const calls = {
    'a note of a child': () =>
      server.patch(CLINIC_PATH(clinic.clinic_id, `child/${child}`), {
        token: doctor.token,
        json: { record_number: 'A-1' },
        headers: headers(),
      }),
    'a plan of a child': () =>
      server.put(CLINIC_PATH(clinic.clinic_id, `child/${child}/plan`), {
        token: doctor.token,
        json: { nights_per_week: 5, minutes: 300 },
        headers: headers(),
      }),
    'an invitation': () =>
      server.post(CLINIC_PATH(clinic.clinic_id, 'member'), {
        token: doctor.token,
        json: { email: `${key}@clinic.example.org`, role: 'clinician' },
        headers: headers(),
      }),
  }
  test.each(Object.entries(calls))('%s is answered while the caller works there', async (_, call) => {
    const first = await call()
    expect(first.status).toBe(200)
    expect((await call()).body).toEqual(first.body)
    await remove(clinic.clinic_id, admin, doctor)
    expect(await call()).toMatchObject(noClinic)
  })

  test('of a child is answered while that clinic is let in', async () => {
    const other = await newClinic(server)
    await acceptInvitation(
      server,
      await invitationTo(server, other.clinic_id, { email: doctor.email }),
      authenticatorOf(server),
    )
    await connectClinic(server, parent, { code: other.code, real_user_id: child })
    const call = calls['a note of a child']
    expect((await call()).status).toBe(200)
    const { body } = await clinics(server).listConnections(parent, child)
    const { connection_id } = body.find(
      (each: { clinic: { clinic_id: number } }) => each.clinic.clinic_id === clinic.clinic_id,
    )
    await clinics(server).disconnect(parent, connection_id)
    expect(await call()).toMatchObject(notAuthorized)
  })

  test('of an admin is answered while they are one', async () => {
    const call = calls['an invitation']
    expect((await call()).status).toBe(200)
    await server.database.pool.query(`UPDATE clinic_member SET role = 'clinician' WHERE root_user_id = $1`, [
      doctor.id,
    ])
    expect(await call()).toMatchObject(notAuthorized)
  })

  test('of an ended connection is answered to the owner, and to an admin while they are one', async () => {
    const ends = async (caller: { token: string }) => {
      const { body } = await clinics(server).listConnections(parent, child)
      const { connection_id } = body.find(
        (each: { clinic: { clinic_id: number } }) => each.clinic.clinic_id === clinic.clinic_id,
      )
      const end = () =>
        server.delete(`/api/v1/beta/clinic/connection/${connection_id}`, {
          token: caller.token,
          headers: headers(),
        })
      expect(await end()).toMatchObject({ status: 200 })
      expect(replayed(await end())).toBe('true')
      return end
    }
    const asAdmin = await ends(doctor)
    await remove(clinic.clinic_id, admin, doctor)
    expect(await asAdmin()).toMatchObject({ status: 404, body: { detail: 'Connection not found' } })
    await connectClinic(server, parent, { code: clinic.code, real_user_id: child })
    await ends(parent)
  })

  test('of who has ended their own work is answered', async () => {
    const { body } = await clinicOf(server, clinic.clinic_id).members(doctor)
    const { member_id } = body.members.find(({ email }: { email: string }) => email === doctor.email)
    const leave = () =>
      server.delete(CLINIC_PATH(clinic.clinic_id, `member/${member_id}`), {
        token: doctor.token,
        headers: headers(),
      })
    const first = await leave()
    expect(first.status).toBe(200)
    expect(await leave()).toMatchObject({ status: 200, body: first.body })
  })

  test('that is not valid is refused as the first time', async () => {
    const call = () =>
      server.patch('/api/v1/beta/clinic/none/child/none', {
        token: doctor.token,
        json: {},
        headers: headers(),
      })
    const first = await call()
    expect(first.status).toBe(422)
    expect(await call()).toMatchObject({ status: 422, body: first.body })
  })
})

test('a repeat is on the trail of the child as the access of somebody of this role', async () => {
  const { clinic_id, code } = await newClinic(server, 'Seoul')
  const doctor = await addClinician(server, clinic_id, { first_name: 'Dr. Han' })
  await connectClinic(server, parent, { code, real_user_id: child })
  const guardian = await addMember(server, parent, { real_user_id: child, role: 'guardian' })
  const note = () =>
    server.patch(`/api/v1/beta/clinic/${clinic_id}/child/${child}`, {
      token: doctor.token,
      json: { record_number: 'A-1' },
      headers: { 'idempotency-key': key },
    })
  for (const call of [note, () => submit(scores(2), { as: guardian })])
    for (const is of [null, 'true']) expect(replayed(await call())).toBe(is)
  await server.trailWritten()
  const { rows } = await server.database.pool.query(
    `SELECT operation, sum(times)::int AS times FROM trail WHERE real_user_id = $1 AND actor_kind = 'member' GROUP BY operation ORDER BY operation`,
    [child],
  )
  expect(rows).toEqual([
    { operation: 'clinics.updatePlace', times: 2 },
    { operation: 'surveys.submit', times: 2 },
  ])
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
  const responses = await Promise.all([create(), create(), create()])
  const last = await create()
  expect(last.status).toBe(200)
  expect(new Set([...responses, last].flatMap(({ body }) => body.secret ?? [])).size).toBe(1)
  expect(receiver.received).toHaveLength(1)
  expect((await server.get('/api/v1/beta/webhook', { token: own })).body).toHaveLength(1)
})

test('who has signed out, or whose account is blocked, gets no repeat', async () => {
  const first = await submit()
  await server.database.pool.query('UPDATE root_user SET blocked_at = now() WHERE id = $1', [parent.id])
  expect((await submit()).status).toBe(423)
  await server.database.pool.query('UPDATE root_user SET blocked_at = NULL WHERE id = $1', [parent.id])
  expect((await submit()).body).toEqual(first.body)
  await server.post('/api/v1/alpha/auth/signout', { token: parent.token })
  expect(await submit()).toMatchObject({ status: 401, body: { detail: 'Could not validate credentials' } })
  expect(await submit(scores(1), { 'idempotency-key': 'short' })).toMatchObject({ status: 401 })
})

test('changes of one account at once wait for each other, with and without keys', async () => {
  const email = () => `${randomUUID()}@example.com`
  const calls = (n: number) => {
    const headers: Record<string, string> = n % 2 ? { 'idempotency-key': randomUUID() } : {}
    const options = { token: parent.token, headers }
    return [
      () =>
        server.post('/api/v1/beta/share/invitation', {
          ...options,
          json: { real_user_id: child, role: 'viewer', email: email() },
        }),
      () => server.patch('/api/v1/beta/user/root-user', { ...options, json: { first_name: `Name ${n}` } }),
      () =>
        server.post('/api/v1/beta/user/change-email', {
          ...options,
          json: { email: email(), password: 'wrong' },
        }),
      () =>
        server.post('/api/v1/beta/event', {
          ...options,
          json: { real_user_id: child, created_at: '2026-03-01' },
        }),
    ]
  }
  const all = Array.from({ length: 15 }, (_, n) => calls(n)).flat()
  const responses = await Promise.all(all.map((call) => call()))
  expect(responses.flatMap(({ status, body }) => (status >= 409 ? [body] : []))).toEqual([])
})

describe('a mail', () => {
  const invite = (to: TestServer, as: Account, real_user_id: number, email: string) =>
    to.post('/api/v1/beta/share/invitation', {
      token: as.token,
      json: { real_user_id, role: 'viewer', email },
      headers: { 'idempotency-key': key },
    })
  const mailsTo = async (email: string) => (await server.outbox()).filter(({ to }) => to === email).length

  test('that cannot be sent leaves nothing behind, and the key free', async () => {
    const failing = await startServer({
      SMTP_URL: `smtp://127.0.0.1:${await closedPort()}`,
      MAIL_FROM: 'companion@example.com',
      PUBLIC_URL: 'https://companion.example',
    })
    try {
      const account = await signUp(failing)
      const { real_user_id } = await addChild(failing, account.token)
      const rows = async (table: string) => (await failing.database.pool.query(`TABLE ${table}`)).rowCount
      for (let n = 0; n < 2; n++) {
        const response = await invite(failing, account, real_user_id, 'guest@example.com')
        expect(response).toMatchObject({ status: 500, body: { detail: 'Email send failed' } })
        expect(replayed(response)).toBeNull()
        expect([await rows('invitation'), await rows('kept_response')]).toEqual([0, 0])
      }
    } finally {
      await failing.stop()
    }
  })

  test('is sent after the commit, during which a repeat has to wait', async () => {
    const accepted = Promise.withResolvers<void>()
    const busy = createServer((socket) => {
      void accepted.promise.then(() => socket.destroy())
      socket.on('error', () => undefined)
    })
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve))
    const address = busy.address()
    const slow = await startServer({
      SMTP_URL: `smtp://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
      MAIL_FROM: 'companion@example.com',
      PUBLIC_URL: 'https://companion.example',
    })
    try {
      const account = await signUp(slow)
      const { real_user_id } = await addChild(slow, account.token)
      const first = invite(slow, account, real_user_id, 'guest@example.com')
      const { pool } = slow.database
      // Another connection sees it.
      await until(async () => (await pool.query('TABLE invitation')).rowCount === 1)
      expect(await invite(slow, account, real_user_id, 'guest@example.com')).toMatchObject(inProgress)
      const open = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`
      expect((await pool.query(open)).rowCount).toBe(0)
      accepted.resolve()
      expect((await first).status).toBe(500)
    } finally {
      accepted.resolve()
      await slow.stop()
      await new Promise((resolve) => busy.close(resolve))
    }
  })

  test('is sent again when the process has died before it was', async () => {
    const email = `${randomUUID()}@example.com`
    const first = await invite(server, parent, child, email)
    expect(first.status).toBe(200)
    const { pool } = server.database
    await pool.query('UPDATE kept_response SET response = NULL WHERE root_user_id = $1', [parent.id])
    expect(await invite(server, parent, child, email)).toMatchObject(inProgress)
    await pool.query(
      `UPDATE kept_response SET created_at = now() - interval '1 minute' WHERE root_user_id = $1`,
      [parent.id],
    )
    const again = await invite(server, parent, child, email)
    expect([again.status, replayed(again), await mailsTo(email)]).toEqual([200, null, 2])
    expect(replayed(await invite(server, parent, child, email))).toBe('true')
    expect([await mailsTo(email), await count('invitation', 'real_user_id = $1', [child])]).toEqual([2, 1])
  })
})

test('one caller has 10,000 responses at most, and what counts and purges them reads an index', async () => {
  const { pool } = server.database
  const fill = (rows: number, account: string) =>
    pool.query(
      `INSERT INTO kept_response (root_user_id, client_id, key_hash, input_hash, response, children, created_at)
       SELECT ${account}, 0, sha256(n::text::bytea), '', 'x', '{}', now() - n * interval '1 second'
       FROM generate_series(1, ${rows}) n`,
    )
  await fill(MAX_RESPONSES_PER_CALLER + 5, String(parent.id))
  await fill(15 * MAX_RESPONSES_PER_CALLER, '1000000 + n % 1000')
  await pool.query('ANALYZE kept_response')
  const planOf = async (text: string, values: unknown[]) =>
    (await pool.query(`EXPLAIN ${text}`, values)).rows.map((row) => row['QUERY PLAN']).join('\n')
  const trimming = await planOf(deleteOldestKeptResponses.text, [parent.id, 0])
  expect(trimming).toContain('kept_response_pkey')
  expect(trimming).not.toContain('Seq Scan')
  const purging = await planOf(
    `SELECT ctid FROM kept_response WHERE created_at < $1 ORDER BY created_at LIMIT 1000 FOR UPDATE SKIP LOCKED`,
    [new Date(Date.now() - 86_400_000)],
  )
  expect(purging).toContain('kept_response_created')
  const newest = () =>
    pool.query(
      `SELECT FROM kept_response WHERE root_user_id = $1 AND created_at > now() - interval '10000.5 seconds'`,
      [parent.id],
    )
  await until(async () => {
    await Promise.all(
      Array.from({ length: 64 }, () => submit(scores(1), { 'idempotency-key': randomUUID() })),
    )
    // One call of 256 looks.
    return (
      ((await count('kept_response', 'root_user_id = $1', [parent.id])) ?? 0) < MAX_RESPONSES_PER_CALLER + 64
    )
  })
  expect((await newest()).rowCount).toBeGreaterThan(9000)
})
