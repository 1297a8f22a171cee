import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { newClinic } from '../../support/clinics.ts'
import { addClinician, authenticatorOf, PASSKEY, passkeySignIn } from '../../support/clinicians.ts'
import type { Clinician } from '../../support/clinicians.ts'
import { companion } from '../../support/command.ts'
import { inBetween, somebodyWaits } from '../../support/lock-waits.ts'
import { tally } from '../../support/response-tally.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
afterEach(() => void vi.useRealTimers())

const refused = { status: 401, body: { detail: 'Could not validate credentials' } }

let doctor: Clinician
beforeAll(async () => {
  doctor = await addClinician(server, (await newClinic(server)).clinic_id)
})

async function begin() {
  const { challenge_id, options } = (await server.post(`${PASSKEY}/options`, { json: {} })).body
  return {
    options,
    send: (credential: object, id = challenge_id) =>
      server.post(`${PASSKEY}/signin`, { json: { challenge_id: id, credential } }),
  }
}

test('a clinician signs in by their passkey, and the session before ends', async () => {
  const { status, body } = await passkeySignIn(server, doctor.authenticator)
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { id: doctor.id, token_type: 'bearer', expires_in: 900, refresh_expires_in: 1_209_600 },
  })
  expect((await server.get('/api/v1/beta/user/me', { token: body.access_token })).body.root_user_id).toBe(
    doctor.id,
  )
  const again = await passkeySignIn(server, doctor.authenticator)
  expect(again.status).toBe(200)
  const old = await server.post('/api/v1/alpha/auth/refresh-token', {
    json: { refresh_token: body.refresh_token },
  })
  expect(old).toMatchObject({ status: 401, body: { detail: 'Refresh token is not valid' } })
  const { rows } = await server.database.pool.query(
    `SELECT sign_count::int AS uses, last_used_at IS NOT NULL AS is_used FROM passkey WHERE root_user_id = $1`,
    [doctor.id],
  )
  expect(rows).toEqual([{ uses: 2, is_used: true }])
})

test('of two sign-ins at once the higher count stays', async () => {
  const holder = await addClinician(server, (await newClinic(server)).clinic_id)
  const [one, two] = [await begin(), await begin()]
  const [first, second] = [holder.authenticator.get(one.options), holder.authenticator.get(two.options)]
  const responses = await inBetween(server, {
    lock: `SELECT FROM root_user WHERE id = ${holder.id} FOR UPDATE`,
    change: 'SELECT',
    async call() {
      const late = two.send(second)
      await somebodyWaits(server.database)
      return Promise.all([late, one.send(first)])
    },
    waiting: 2,
  })
  expect(tally(responses)).toEqual({ 200: 2 })
  const { rows } = await server.database.pool.query(
    'SELECT sign_count::int AS uses FROM passkey WHERE root_user_id = $1',
    [holder.id],
  )
  expect(rows).toEqual([{ uses: 2 }])
})

test('what has not signed this challenge for this service is refused', async () => {
  const { options, send } = await begin()
  const { authenticator } = doctor
  const stranger = authenticatorOf(server)
  stranger.create({ rp: { id: 'localhost' }, challenge: 'AA' })
  const good = authenticator.get(options)
  for (const credential of [
    stranger.get(options),
    authenticator.get(options, { origin: 'https://evil.example' }),
    authenticator.get(options, { challenge: 'b3RoZXI' }),
    authenticator.get(options, { isVerified: false }),
    authenticator.get({ ...options, rpId: 'evil.example' }),
    { ...good, response: { ...good.response, signature: 'AAAA' } },
  ])
    expect(await send(credential)).toMatchObject(refused)
  expect(await send(authenticator.get(options), 'no challenge')).toMatchObject(refused)
  expect((await send(authenticator.get(options))).status).toBe(200)
})

test('a challenge works once, and for five minutes', async () => {
  const { options, send } = await begin()
  const credential = doctor.authenticator.get(options)
  const calls = Array.from({ length: 10 }, () => send(credential))
  expect(tally(await Promise.all(calls))).toEqual({ 200: 1, '401 Could not validate credentials': 9 })
  const late = await begin()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 301_000 })
  expect(await late.send(doctor.authenticator.get(late.options))).toMatchObject(refused)
})

test('an authenticator that counts back was copied', async () => {
  const other = await addClinician(server, (await newClinic(server)).clinic_id)
  await server.database.pool.query('UPDATE passkey SET sign_count = 1000 WHERE root_user_id = $1', [other.id])
  expect(await passkeySignIn(server, other.authenticator)).toMatchObject(refused)
})

test('a blocked account is not let in', async () => {
  const other = await addClinician(server, (await newClinic(server)).clinic_id)
  await companion(server, 'account', 'block', String(other.id))
  expect(await passkeySignIn(server, other.authenticator)).toMatchObject({
    status: 423,
    body: { detail: 'Access denied. Account blocked' },
  })
})
