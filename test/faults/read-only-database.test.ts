import { createCompanion, memoryStorage } from '@companion/sdk'
import type { OutboxEvent } from '@companion/sdk'
import { operations } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import type { OperationPath } from '@companion/server/router.ts'
import { expect, onTestFinished, test } from 'vitest'
import type { Answer } from '../support/client.ts'
import {
  addChild,
  addDevice,
  anyEmail,
  anyPhone,
  childProfile,
  devlogItem,
  PASSWORD,
  signIn,
  signUp,
  signUpBody,
  smsCode,
  upload,
  validToken,
} from '../support/family.ts'
import { addBasestation, connectBasestation, reading, uploadReadings } from '../support/home.ts'
import { confirmReset, resetToken } from '../support/mailbox.ts'
import { useOpenIdProvider } from '../support/openid.ts'
import { useServer } from '../support/server.ts'
import { grantDirectly } from '../support/oauth.ts'
import { startReceiver } from '../support/receiver.ts'
import { serviceFor, webhooks } from '../support/webhooks.ts'
import { addMember, invitationToken, shares } from '../support/shares.ts'
import { SOCIAL_SIGN_UP, socialClaims, socialSignIn, socialSignUp } from '../support/social.ts'
import { until } from '../support/until.ts'

const INTERNAL = 'Internal server error. Please try again later.'
const DAY = '2026-03-01'
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
  // A session that cuts its own connection may end before it has cut the others.
  const client = await server.database.pool.connect()
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )
  client.release(true)
}

/** One good call of every operation: those that end something are last. */
async function goodCalls() {
  const { id, token, email, refreshToken } = await signUp(server)
  const worn = await addChild(server, token)
  const { real_user_id, unique_id } = worn
  const other = await addDevice(server)
  const another = await addDevice(server)
  const { basestation_id, ...home } = await connectBasestation(server, token)
  const free = await addBasestation(server)
  await upload(server, [devlogItem(unique_id, `${DAY}T21:30:00`)])
  await uploadReadings(server, [reading(home.unique_id, `${DAY}T21:30:00`)])
  const [leaving, forgetful, mover] = [await signUp(server), await signUp(server), await signUp(server)]
  const [newPhone, codePhone, recovered] = [anyPhone(), anyPhone(), mover.phone]
  const codes = {
    verify: await smsCode(server, codePhone),
    change: await smsCode(server, newPhone),
    recovery: await smsCode(server, recovered, 'recovery'),
  }
  const newcomer = anyPhone()
  const newcomerToken = await validToken(server, newcomer)
  const social = anyPhone()
  const socialToken = await validToken(server, social)
  const id_token = await provider.forge(socialClaims(provider))
  const known_id_token = await provider.forge(socialClaims(provider))
  await socialSignUp(server, known_id_token)
  const { password: _password, ...socialBody } = signUpBody(social)
  const reset = await resetToken(server, forgetful.email)
  const calls = shares(server)
  const member = await addMember(server, { token }, { real_user_id, role: 'viewer' })
  const guest = await signUp(server)
  await calls.invite({ token }, { real_user_id, email: guest.email })
  const invited = await invitationToken(server, guest.email)
  const { invitation_id } = (await calls.invite({ token }, { real_user_id, email: anyEmail() })).body
  const grant_id = await grantDirectly(server, { rootUserId: id, child: real_user_id })
  const receiver = await startReceiver()
  const hooks = webhooks(server, (await serviceFor(server, { email }, [real_user_id])).own)
  const { webhook_id } = (await hooks.create(receiver.url)).body
  const period = { start_date: DAY, end_date: '2026-03-02' }
  const day = { real_user_id, event_date: DAY }
  const auth = '/api/v1/alpha/auth'
  const user = '/api/v1/beta/user'
  const device = '/api/v1/beta/device'
  const gamma = '/api/v1/gamma/device'
  return {
    'children.list': () => server.get(`${user}/real-user`, { token }),
    'children.read': () => server.get(`${user}/real-user/${real_user_id}`, { token }),
    'devices.list': () => server.get(device, { token }),
    'basestations.list': () => server.get('/api/v1/beta/basestation', { token }),
    'account.me': () => server.get(`${user}/me`, { token }),
    'account.giveConsent': () =>
      server.post(`${user}/consent`, { token, json: { kind: 'terms', version: '1', given: true } }),
    'account.listConsents': () => server.get(`${user}/consent`, { token }),
    'account.exportData': () =>
      server.post(`${user}/export`, { token, json: { format: 'json', password: PASSWORD } }),
    'treatments.list': () =>
      server.get('/api/v1/beta/treatment', { token, query: { real_user_id, end_date: DAY } }),
    'charts.recent': () =>
      server.get('/api/v1/beta/chart/recent', { token, query: { real_user_id, current_date: DAY } }),
    'charts.analysis': () =>
      server.get('/api/v1/beta/chart/analysis', { token, query: { real_user_id, current_date: DAY } }),
    'surveys.submit': () =>
      server.post('/api/v1/beta/survey', {
        token,
        json: { real_user_id, attention_score: 1, impulsivity_score: 2, disorder_score: 3 },
      }),
    'surveys.latest': () =>
      server.get('/api/v1/beta/chart/survey/analysis', { token, query: { real_user_id } }),
    'calendar.saveEvent': () =>
      server.post('/api/v1/beta/event', { token, json: { real_user_id, created_at: DAY, memo: 'Slept' } }),
    'calendar.history': () => server.get('/api/v1/beta/event/history', { token, query: { real_user_id } }),
    'calendar.readDay': () => server.get('/api/v1/beta/event', { token, query: day }),
    'reports.pdf': () =>
      server.get('/api/v1/beta/pdf/report', { token, query: { real_user_id, basestation_id, ...period } }),
    'reports.exportPdf': () =>
      server.get('/api/v1/beta/pdf/export', {
        token,
        query: { real_user_id, current_date: DAY, select_mode: 0 },
      }),
    'devlogs.upload': () => upload(server, [devlogItem(unique_id, `${DAY}T22:30:00`, { log_file_id: 2 })]),
    'auth.listPhoneCountries': () => server.get('/api/v1/alpha/auth/phone-country'),
    'devices.time': () => server.get(`${gamma}/time`),
    'devlogs.history': () => server.get(`${gamma}/history`, { query: { unique_id } }),
    'devlogs.detail': () => server.get(`${gamma}/detail`, { query: { unique_id, event_date: DAY } }),
    'devlogs.export': () => server.get(`${gamma}/export`, { query: { unique_id, ...period } }),
    'devlogs.delete': () => server.delete(`${gamma}/devlog`, { query: { unique_id } }),
    'basestations.uploadEnvironment': () =>
      uploadReadings(server, [reading(home.unique_id, `${DAY}T22:30:00`)]),
    'basestations.connect': () => server.post('/api/v1/beta/basestation', { token, json: free }),
    'basestations.disconnect': () => server.delete(`/api/v1/beta/basestation/${basestation_id}`, { token }),
    'children.create': () =>
      server.post('/api/v2/beta/user/create-real-user', { token, json: { ...childProfile, ...other } }),
    'children.update': () =>
      server.patch(`${user}/real-user/${real_user_id}`, {
        token,
        json: { id: real_user_id, ...childProfile },
      }),
    'devices.connect': () => server.post(device, { token, json: { real_user_id, ...another } }),
    'devices.rename': () =>
      server.patch(`${device}/${worn.device_id}`, { token, json: { device_alias: 'Blue' } }),
    'shares.list': () => calls.list({ token }, real_user_id),
    'shares.access': () => calls.access({ token }, real_user_id),
    'shares.invite': () => calls.invite({ token }, { real_user_id, email: anyEmail() }),
    'shares.accept': () => calls.accept(guest, invited),
    'shares.withdraw': () => calls.withdraw({ token }, invitation_id),
    'shares.end': () => calls.end({ token }, member.share_id),
    'changes.list': () => server.get('/api/v1/beta/changes', { token }),
    'webhooks.create': () => hooks.create(`${receiver.url}/new`),
    'webhooks.list': () => hooks.list(),
    'webhooks.rotateSecret': () => hooks.rotate(webhook_id),
    'webhooks.enable': () => hooks.enable(webhook_id),
    'webhooks.delete': () => hooks.delete(webhook_id),
    'grants.list': () => server.get('/api/v1/beta/grant', { token }),
    'grants.end': () => server.delete(`/api/v1/beta/grant/${grant_id}`, { token }),
    'children.delete': () =>
      server.delete(`${user}/delete-real-user`, { token, json: { real_user_id, unique_id } }),
    'devices.disconnect': async () => {
      const [first] = (await server.get(device, { token })).body
      return server.delete(`${device}/${first.device_id}`, { token })
    },
    'account.update': () => server.patch(`${user}/root-user`, { token, json: { first_name: 'Kim' } }),
    'account.updatePolicy': () =>
      server.patch(`${user}/policy`, { token, json: { is_push_agree: true, push_token: 'x'.repeat(16) } }),
    'account.setPushToken': () =>
      server.post(`${user}/push/set-token`, { token, json: { token: 'y'.repeat(16) } }),
    'account.updateNotifications': () =>
      server.patch(`${user}/notification`, {
        token,
        json: {
          is_device_muted: true,
          is_device_alim_talk_enabled: true,
          is_basestation_alert_enabled: true,
        },
      }),
    'account.changePhone': () =>
      server.post(`${user}/change-phone`, { token, json: { phone: newPhone, validnum: codes.change } }),
    'auth.refresh': () => server.post(`${auth}/refresh-token`, { json: { refresh_token: refreshToken } }),
    'auth.sendSmsCode': () => server.post(`${auth}/send-sms-auth`, { json: { phone: anyPhone() } }),
    'auth.verifyPhone': () =>
      server.post(`${auth}/phone-number-validation`, {
        json: { phone: codePhone, validnum: codes.verify },
      }),
    'auth.findAccount': () =>
      server.post(`${auth}/find-account`, { json: { phone: recovered, validnum: codes.recovery } }),
    'auth.signIn': () => signIn(server, email),
    'auth.signUp': () =>
      server.post(`${auth}/email/signup`, { token: newcomerToken, json: signUpBody(newcomer) }),
    'auth.socialSignUp': () =>
      server.post(SOCIAL_SIGN_UP, {
        token: socialToken,
        json: { ...socialBody, register_type: 'S', provider: 'example', id_token },
      }),
    'auth.socialSignIn': () => socialSignIn(server, known_id_token),
    'auth.requestPasswordReset': () =>
      server.post(`${auth}/email/password-reset`, { json: { email: mover.email } }),
    'auth.confirmPasswordReset': () => confirmReset(server, reset, 'another password'),
    'account.changePassword': () =>
      server.post(`${user}/change-password`, {
        token: mover.token,
        json: { current_password: PASSWORD, new_password: 'another password' },
      }),
    'auth.signOut': () => server.post(`${auth}/signout`, { token }),
    'account.delete': () => server.delete(`${user}/root-user`, { token: leaving.token }),
  } satisfies Record<OperationPath, () => Promise<Answer>>
}

const isRead = new Map(operations(appRouter).map(({ path, operation }) => [path, operation.method === 'GET']))

test('a read-only database is the fault of no caller of any operation, and is over when it is over', async () => {
  const calls = Object.entries(await goodCalls())
  const answersOfAll = async () => {
    const answers: Record<string, string> = {}
    for (const [name, call] of calls) {
      const { status, body } = await call()
      answers[name] = status === 200 ? '200' : `${status} ${body.detail}`
    }
    return answers
  }
  const expected = (write: string) =>
    Object.fromEntries(calls.map(([name]) => [name, isRead.get(name) ? '200' : write]))

  expect(await server.get('/readyz')).toMatchObject({ status: 200 })
  await restartReadOnly()
  expect(await answersOfAll()).toEqual(expected(`500 ${INTERNAL}`))
  expect(await server.get('/readyz')).toMatchObject({
    status: 503,
    body: { status: 'database out of reach, read-only or not up to date' },
  })

  // Another server has taken its place, and the connections to the old one are still open.
  await becomeReadOnly(false)
  await until(async () => (await server.get('/readyz')).status === 200)
  expect(await answersOfAll()).toEqual(expected('200'))
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
])('%s is no fault of the caller', async (_what, code) => {
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
  const answer = await server.post('/api/v1/beta/event', {
    token,
    json: { real_user_id, created_at: DAY, memo: 'Slept' },
  })
  expect(answer).toMatchObject({ status: 500, body: { detail: INTERNAL } })
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
  expect(events).not.toContain('set_aside')
  const day = await companion.calendar.readDay({ real_user_id, event_date: DAY })
  expect(day).toMatchObject({ memo: 'Fever in the night' })
  const { treatment_data } = await companion.devlogs.detail({ unique_id, event_date: DAY })
  expect(treatment_data).toHaveLength(1)
})
