import { afterEach, expect, test, vi } from 'vitest'
import { signIn, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const me = (token?: string) => server.get('/api/v1/beta/user/me', token === undefined ? {} : { token })
const change = ({ id }: Account, columns: string) =>
  server.database.pool.query(`UPDATE root_user SET ${columns} WHERE id = $1`, [id])

afterEach(() => void vi.useRealTimers())

test('a new account reads its profile', async () => {
  const account = await signUp(server)
  const { status, body } = await me(account.token)
  expect(status).toBe(200)
  expect(body).toEqual({
    root_user_id: account.id,
    first_name: 'Kim Jiyoung',
    last_name: '',
    birthdate: '19850401',
    gender: 'F',
    phone: account.phone,
    is_phone_number_checked: true,
    email: account.email,
    is_email_confirmed: false,
    register_type: 'E',
    national_code: 'KR',
    need_personal_info_update: false,
    need_to_pwd_change: false,
    is_device_muted: false,
    is_device_alim_talk_enabled: false,
    is_basestation_alert_enabled: false,
    is_child_named_in_alerts: false,
    language: null,
    time_zone: 'America/New_York',
    is_bedtime_reminded: false,
    is_missing_night_told: false,
    missing_night_at: '10:00',
    quiet_from: null,
    quiet_to: null,
  })
})

test.each([
  ['2026-03-31T10:00:00Z', '2026-06-29T10:00:00Z', false],
  ['2026-03-15T10:00:00Z', '2026-06-15T09:59:59Z', false],
  ['2026-03-15T10:00:00Z', '2026-06-15T10:00:00Z', true],
  ['2025-11-30T10:00:00Z', '2026-03-01T10:00:00Z', true],
])('a password changed at %s has to be changed at %s: %s', async (changed, now, expected) => {
  const account = await signUp(server)
  await change(account, `password_changed_at = '${changed}'`)
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) })
  const { body: session } = await signIn(server, account.email)
  const { body } = await me(session.access_token)
  expect(body.need_to_pwd_change).toBe(expected)
})

test('a social account has no password to change', async () => {
  const account = await signUp(server)
  await change(account, `register_type = 'S', password_hash = NULL, password_changed_at = NULL`)
  expect((await me(account.token)).body).toMatchObject({ register_type: 'S', need_to_pwd_change: false })
})

test('an account that may not act is told why', async () => {
  const blocked = await signUp(server)
  await change(blocked, 'blocked_at = now()')
  expect(await me(blocked.token)).toMatchObject({
    status: 423,
    body: { detail: 'Access denied. Account blocked' },
  })

  const moved = await signUp(server)
  await change(moved, 'token_epoch = token_epoch + 1')
  expect(await me(moved.token)).toMatchObject({
    status: 401,
    body: { detail: 'Could not validate credentials' },
  })

  const deleted = await signUp(server)
  expect(await server.delete('/api/v1/beta/user/root-user', { token: deleted.token })).toMatchObject({
    status: 200,
  })
  expect(await me(deleted.token)).toMatchObject({ status: 401, body: { detail: 'User is Deleted' } })

  const gone = await signUp(server)
  await server.database.pool.query('DELETE FROM root_user WHERE id = $1', [gone.id])
  expect(await me(gone.token)).toMatchObject({ status: 401, body: { detail: 'User is None' } })
})

test('a token lives 900 seconds', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 1000) * 1000 })
  const account = await signUp(server)
  vi.setSystemTime(Date.now() + 899_000)
  expect(await me(account.token)).toMatchObject({ status: 200 })
  vi.setSystemTime(Date.now() + 1000)
  expect(await me(account.token)).toMatchObject({ status: 401, body: { detail: 'Token is expired' } })
})

test('anything but an access token is refused', async () => {
  const { token, refreshToken } = await signUp(server)
  const [head, , signature] = token.split('.')
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`
  const claims = Buffer.from('{"sub":"1","epoch":0,"iss":"companion","iat":1,"exp":9999999999}').toString(
    'base64url',
  )
  const wrong = [undefined, '', 'x', refreshToken, `${token}A`, unsigned, `${head}.${claims}.${signature}`]
  for (const each of wrong) {
    expect(await me(each)).toMatchObject({ status: 401, body: { detail: 'Could not validate credentials' } })
  }
  for (const authorization of [token, `Basic ${token}`, `Bearer ${token} ${token}`, `Bearer`]) {
    expect(await server.get('/api/v1/beta/user/me', { headers: { authorization } })).toMatchObject({
      status: 401,
      body: { detail: 'Could not validate credentials' },
    })
  }
})
