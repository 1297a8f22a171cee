import { beforeAll, expect, test } from 'vitest'
import { signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { inBetween } from '../../support/lock-waits.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

let parent: Account
beforeAll(async () => {
  parent = await signUp(server)
})

const off = {
  is_device_muted: false,
  is_device_alim_talk_enabled: false,
  is_basestation_alert_enabled: false,
}
const patch = (json: unknown, account = parent) =>
  server.patch('/api/v1/beta/user/notification', { token: account.token, json })

const nightsOff = {
  is_bedtime_reminded: false,
  is_missing_night_told: false,
  missing_night_at: '10:00',
  quiet_from: null,
  quiet_to: null,
}

test('the three switches start off, and are set as sent', async () => {
  const me = () => server.get('/api/v1/beta/user/me', { token: parent.token })
  expect((await me()).body).toMatchObject(off)
  const sent = { is_device_muted: 1, is_device_alim_talk_enabled: 0, is_basestation_alert_enabled: true }
  const expected = {
    is_device_muted: true,
    is_device_alim_talk_enabled: false,
    is_basestation_alert_enabled: true,
  }
  expect(await patch(sent)).toMatchObject({ status: 200, body: expected })
  expect((await me()).body).toMatchObject(expected)
  expect(await patch(off)).toMatchObject({ status: 200, body: off })
})

test('naming the child starts off, is set as sent, and stays where it is absent', async () => {
  const named = async () =>
    (await server.get('/api/v1/beta/user/me', { token: parent.token })).body.is_child_named_in_alerts
  expect(await named()).toBe(false)
  expect((await patch({ ...off, is_child_named_in_alerts: 1 })).body).toEqual({
    ...off,
    is_child_named_in_alerts: true,
    language: null,
    time_zone: 'America/New_York',
    ...nightsOff,
  })
  expect((await patch(off)).body).toMatchObject({ ...off, is_child_named_in_alerts: true })
  expect(await named()).toBe(true)
  expect((await patch({ ...off, is_child_named_in_alerts: null })).status).toBe(422)
  expect((await patch({ ...off, is_child_named_in_alerts: false })).body.is_child_named_in_alerts).toBe(false)
  expect(await named()).toBe(false)
})

test.each(Object.keys(off))('%s is required and strict', async (field) => {
  for (const value of [undefined, null, 'false', '1', 2, -1]) {
    const { status, body } = await patch({ ...off, [field]: value })
    expect(status).toBe(422)
    expect(body.detail[0].loc).toEqual(['body', field])
  }
})

test('an account that is deleted in between is 404', async () => {
  const gone = await signUp(server)
  const response = await inBetween(server, {
    lock: `SELECT FROM root_user WHERE id = ${gone.id} FOR UPDATE`,
    change: `UPDATE root_user SET deleted_at = now() WHERE id = ${gone.id}`,
    call: () => patch(off, gone),
  })
  expect(response).toMatchObject({ status: 404, body: { detail: 'User not found' } })
})

test('a change that the database refuses is 409, and the log repeats nothing of the row', async () => {
  const { pool } = server.database
  await pool.query('ALTER TABLE root_user ADD CONSTRAINT loud CHECK (NOT is_device_muted)')
  try {
    expect(await patch({ ...off, is_device_muted: true })).toMatchObject({
      status: 409,
      body: { detail: 'User notification update failed' },
    })
    expect(server.log()).toContain('violates check constraint')
    expect(server.log()).not.toContain(parent.email)
  } finally {
    await pool.query('ALTER TABLE root_user DROP CONSTRAINT loud')
  }
})

test('a time zone is that of the service until another is set, and stays where it is absent', async () => {
  const zone = async () => (await server.get('/api/v1/beta/user/me', { token: parent.token })).body.time_zone
  expect((await patch({ ...off, time_zone: 'Asia/Seoul' })).body.time_zone).toBe('Asia/Seoul')
  expect((await patch(off)).body.time_zone).toBe('Asia/Seoul')
  for (const time_zone of ['Asia/Nowhere', '+09:00', '', null, 'A'.repeat(65)]) {
    expect(await patch({ ...off, time_zone })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'time_zone'] }] },
    })
  }
  expect(await zone()).toBe('Asia/Seoul')
})

test('alerts of nights start off at 10:00 without quiet hours, are set as sent, and stay where they are absent', async () => {
  const me = async () => (await server.get('/api/v1/beta/user/me', { token: parent.token })).body
  expect(await me()).toMatchObject(nightsOff)
  const wished = {
    is_bedtime_reminded: true,
    is_missing_night_told: true,
    missing_night_at: '07:45',
    quiet_from: '22:00',
    quiet_to: '06:30',
  }
  expect((await patch({ ...off, ...wished })).body).toMatchObject(wished)
  expect((await patch(off)).body).toMatchObject(wished)
  expect((await patch({ ...off, quiet_from: null })).body).toMatchObject({ ...wished, quiet_from: null })
  expect(await me()).toMatchObject({ ...wished, quiet_from: null })
})

test.each([
  ['is_bedtime_reminded', 'yes'],
  ['is_missing_night_told', null],
  ['missing_night_at', null],
  ['missing_night_at', '24:00'],
  ['quiet_from', '9:00'],
  ['quiet_to', '22:60'],
])('%s: %s is not valid, and nothing is stored', async (field, value) => {
  const me = async () => (await server.get('/api/v1/beta/user/me', { token: parent.token })).body
  const before = await me()
  expect(await patch({ ...off, is_device_muted: true, [field]: value })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', field] }] },
  })
  expect(await me()).toEqual(before)
})

test('a language is that of the country until another is chosen, stays where it is absent, and null takes it back', async () => {
  const language = async () =>
    (await server.get('/api/v1/beta/user/me', { token: parent.token })).body.language
  expect(await language()).toBeNull()
  expect((await patch({ ...off, language: 'EN' })).body.language).toBe('EN')
  expect((await patch(off)).body.language).toBe('EN')
  for (const wrong of ['en', 'JP', '', true, 1]) {
    expect(await patch({ ...off, language: wrong })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'language'] }] },
    })
  }
  expect(await language()).toBe('EN')
  expect((await patch({ ...off, language: null })).body.language).toBeNull()
  expect(await language()).toBeNull()
})
