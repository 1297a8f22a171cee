import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { deriveKeys } from '@companion/server/auth/keys.ts'
import { companion } from '../../support/command.ts'
import { anyEmail, anyPhone, PASSWORD, signIn, signUp, smsCode } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { inBetween } from '../../support/lock-waits.ts'
import { confirmReset, resetToken } from '../../support/outside/mailbox.ts'
import { storedRows } from '../../support/stored-rows.ts'
import { startServer, TEST_SECRET, useServer } from '../../support/server.ts'

const server = useServer()
const NEW = 'a brand new password'

const rows = async (where: { rootUserId?: number; requestId?: string }) => {
  const { sql, keyRing } = server.database
  const all = await sql
    .selectFrom('security_record')
    .select(['recorded_at', 'root_user_id', 'action', 'reason', 'address', 'request_id'])
    .orderBy('id')
    .execute()
  return all
    .map((row) => ({ ...row, address: keyRing.decrypt('security_record.address', row.address) }))
    .filter(
      (row) =>
        (where.rootUserId === undefined || row.root_user_id === where.rootUserId) &&
        (where.requestId === undefined || row.request_id === where.requestId),
    )
}
const actions = async (rootUserId: number) => (await rows({ rootUserId })).map(({ action }) => action)

test('a row says who, what, when to the millisecond, from where, and by which request', async () => {
  const account = await signUp(server)
  const requestId = randomUUID()
  const before = Date.now()
  await server.post('/api/v1/alpha/auth/email/signin', {
    form: { username: account.email, password: PASSWORD },
    headers: { 'x-request-id': requestId },
  })
  const [row] = await rows({ requestId })
  expect(row).toMatchObject({
    root_user_id: account.id,
    action: 'sign_in',
    reason: null,
    address: '127.0.0.1',
    request_id: requestId,
  })
  expect(row?.recorded_at.getTime()).toBeGreaterThanOrEqual(before)
  expect(row?.recorded_at.getTime()).toBeLessThanOrEqual(Date.now())
})

test('the whole life of an account is told in order', async () => {
  const account = await signUp(server)
  const { id, email } = account
  await signIn(server, email, 'wrong password')
  const signedIn = await signIn(server, email)
  const json = { current_password: PASSWORD, new_password: NEW }
  const changed = await server.post('/api/v1/beta/user/change-password', {
    token: signedIn.body.access_token,
    json,
  })
  await server.post('/api/v1/alpha/auth/refresh-token', { json: { refresh_token: account.refreshToken } })
  const token = changed.body.access_token
  const phone = anyPhone()
  await server.post('/api/v1/beta/user/change-phone', { token, json: { phone, validnum: 'wrong' } })
  await server.post('/api/v1/beta/user/change-phone', {
    token,
    json: { phone, validnum: await smsCode(server, phone) },
  })
  const code = await smsCode(server, phone, 'recovery')
  await server.post('/api/v1/alpha/auth/find-account', { json: { phone, validnum: code } })
  await confirmReset(server, await resetToken(server, email), PASSWORD)
  await companion(server, 'account', 'block', email)
  await signIn(server, email)
  await companion(server, 'account', 'unblock', email)
  const last = await signIn(server, email)
  await server.post('/api/v1/alpha/auth/signout', { token: last.body.access_token })
  await companion(server, 'account', 'export', email)
  await server.delete('/api/v1/beta/user/root-user', {
    token: (await signIn(server, email)).body.access_token,
  })
  expect(await actions(id)).toEqual([
    'sign_up',
    'sign_in_refused',
    'sign_in',
    'password_change',
    'refresh_refused',
    'phone_change_refused',
    'phone_change',
    'account_find',
    'email_confirm',
    'password_reset_request',
    'password_reset',
    'account_block',
    'sign_in_refused',
    'account_unblock',
    'sign_in',
    'sign_out',
    'account_export',
    'sign_in',
    'account_delete',
  ])
})

test('an error says why, and nothing that the caller wrote', async () => {
  const { id, email } = await signUp(server)
  await signIn(server, email, 'my secret but wrong password')
  expect((await rows({ rootUserId: id })).at(-1)).toMatchObject({
    action: 'sign_in_refused',
    reason: '400 Password is invalid',
  })
  const unknown = anyEmail()
  await signIn(server, unknown)
  const all = JSON.stringify(await rows({}))
  for (const secret of [unknown, email, PASSWORD, 'my secret but wrong password'])
    expect(all).not.toContain(secret)
})

test('codes are told as sent, refused and used, by whom being unknown', async () => {
  const phone = anyPhone()
  const requestId = randomUUID()
  await server.post('/api/v1/alpha/auth/send-sms-auth', {
    json: { phone },
    headers: { 'x-request-id': requestId },
  })
  const post = (validnum: string) =>
    server.post('/api/v1/alpha/auth/phone-number-validation', {
      json: { phone, validnum },
      headers: { 'x-request-id': requestId },
    })
  await post('wrong')
  const { code = '' } = (await server.outbox()).at(-1) ?? {}
  await post(code)
  expect(await rows({ requestId })).toMatchObject([
    { action: 'code_send', reason: 'for signup', root_user_id: null },
    { action: 'code_verify_refused', reason: '400 Validation code is invalid' },
    { action: 'code_verify', reason: null },
  ])
})

test('consents, profile, children and devices changed are account changes too', async () => {
  const { id, token } = await signUp(server)
  await server.patch('/api/v1/beta/user/policy', { token, json: { is_marketing_agree: true } })
  await server.patch('/api/v1/beta/user/root-user', { token, json: { first_name: 'Canary Kim' } })
  expect((await actions(id)).slice(1)).toEqual(['consent_change', 'profile_change'])
  expect(JSON.stringify(await rows({ rootUserId: id }))).not.toContain('Canary')
})

test('an effect that is rolled back leaves no row that says it happened', async () => {
  const { id, email } = await signUp(server)
  const { pool } = server.database
  await pool.query(`ALTER TABLE session ADD CONSTRAINT error CHECK (root_user_id <> ${id}) NOT VALID`)
  expect((await signIn(server, email)).status).toBe(500)
  await pool.query('ALTER TABLE session DROP CONSTRAINT error')
  expect(await actions(id)).toEqual(['sign_up'])
})

test('the database refuses to change, delete or truncate it; only an address may go, and only a count grow', async () => {
  const { id } = await signUp(server)
  const { pool } = server.database
  const refuse = async (...statements: string[]) => {
    for (const statement of statements) await expect(pool.query(statement)).rejects.toThrow('append-only')
  }
  await refuse(
    `UPDATE security_record SET action = 'nothing' WHERE root_user_id = ${id}`,
    `UPDATE security_record SET address = '10.0.0.1' WHERE root_user_id = ${id}`,
    `UPDATE security_record SET address = NULL, reason = 'x' WHERE root_user_id = ${id}`,
    `UPDATE security_record SET phone_hash = '\\x00' WHERE root_user_id = ${id}`,
    `UPDATE security_record SET times = 2 WHERE root_user_id = ${id}`,
    `DELETE FROM security_record WHERE root_user_id = ${id}`,
    'TRUNCATE security_record',
  )
  await pool.query(`UPDATE security_record SET address = NULL, phone_hash = NULL WHERE root_user_id = ${id}`)
  expect(await rows({ rootUserId: id })).toMatchObject([{ action: 'sign_up', address: null }])

  const { rows: counted } = await pool.query(
    `INSERT INTO security_record (recorded_at, action, times, minute) VALUES (now(), 'x', 5, now()) RETURNING id`,
  )
  const where = `WHERE id = ${counted[0].id}`
  await refuse(
    `UPDATE security_record SET times = 4 ${where}`,
    `UPDATE security_record SET times = 6, minute = NULL ${where}`,
    `UPDATE security_record SET times = 6, action = 'y' ${where}`,
  )
  await pool.query(`UPDATE security_record SET times = 6 ${where}`)
})

describe('once an account is deleted', () => {
  const remove = ({ token }: Account) => server.delete('/api/v1/beta/user/root-user', { token })
  const refreshDead = ({ refreshToken }: Account) =>
    server.post('/api/v1/alpha/auth/refresh-token', { json: { refresh_token: refreshToken } })
  const verify = (phone: string, validnum: string) =>
    server.post('/api/v1/alpha/auth/phone-number-validation', { json: { phone, validnum } })
  /** The rows about a number, by its hash, and those that hold it no more. */
  const about = async (phone: string) => {
    const hash = deriveKeys(TEST_SECRET).hash('phone', phone)
    return storedRows(
      server.database,
      'security_record',
      'SELECT action, root_user_id, address FROM security_record WHERE phone_hash = $1 ORDER BY id',
      [hash],
    )
  }
  const ids = async () => {
    const { rows } = await server.database.pool.query('SELECT max(id)::int AS last FROM security_record')
    return Number(rows[0].last)
  }
  const since = async (id: number) => {
    const { rows } = await server.database.pool.query(
      'SELECT action, address, phone_hash FROM security_record WHERE id > $1 ORDER BY id',
      [id],
    )
    return rows
  }

  test('its addresses are gone', async () => {
    const account = await signUp(server)
    await remove(account)
    const kept = await rows({ rootUserId: account.id })
    expect(kept.map(({ action }) => action)).toEqual(['sign_up', 'account_delete'])
    expect(kept.every(({ address }) => address === null)).toBe(true)
  })

  test('its dead token brings none back, nor one that is refused at that moment', async () => {
    const account = await signUp(server)
    await remove(account)
    expect((await refreshDead(account)).status).toBe(401)
    expect((await rows({ rootUserId: account.id })).at(-1)).toMatchObject({
      action: 'refresh_refused',
      address: null,
    })

    const other = await signUp(server)
    const refused = await inBetween(server, {
      lock: `SELECT FROM root_user WHERE id = ${other.id} FOR UPDATE`,
      call: () => signIn(server, other.email, 'wrong password'),
      change: `UPDATE root_user SET deleted_at = now(), email = NULL, phone = NULL WHERE id = ${other.id}`,
    })
    expect(refused.status).toBe(400)
    const kept = await rows({ rootUserId: other.id })
    expect(kept.map(({ action, address }) => [action, address])).toEqual([
      ['sign_up', null],
      ['sign_in_refused', null],
    ])
  })

  test('what its numbers have left under nobody holds no address, and other numbers keep theirs', async () => {
    const first = await ids()
    const [phone, second, stranger] = [anyPhone(), anyPhone(), anyPhone()]
    await smsCode(server, phone)
    await verify(phone, 'wrong')
    const account = await signUp(server, { phone })
    await server.post('/api/v1/beta/user/change-phone', {
      token: account.token,
      json: { phone: second, validnum: await smsCode(server, second) },
    })
    // Trying the code of a number does not make it the account's.
    await smsCode(server, stranger)
    await server.post('/api/v1/beta/user/change-phone', {
      token: account.token,
      json: { phone: stranger, validnum: 'wrong' },
    })
    expect((await about(phone)).map(({ action }) => action)).toEqual([
      'code_send',
      'code_verify_refused',
      'code_send',
      'code_verify',
      'sign_up',
    ])
    expect((await about(second)).map(({ action }) => action)).toEqual(['code_send', 'phone_change'])
    expect((await about(stranger)).map(({ action }) => action)).toEqual(['code_send'])

    await remove(account)
    expect([...(await about(phone)), ...(await about(second))]).toEqual([])
    expect(await about(stranger)).toMatchObject([{ address: '127.0.0.1' }])
    const kept = (await since(first)).filter(({ address }) => address !== null)
    expect(kept.map(({ action }) => action)).toEqual(['code_send'])

    // A code that the number gets afterwards is no longer about it.
    const last = await ids()
    expect((await verify(second, await smsCode(server, second, 'recovery'))).status).toBe(403)
    expect(await since(last)).toMatchObject([
      { action: 'code_send', phone_hash: null },
      { action: 'code_verify_refused', phone_hash: null },
    ])
  })

  test('the next holder of a number that it gave up keeps the address of their own rows', async () => {
    const account = await signUp(server)
    const phone = anyPhone()
    await server.post('/api/v1/beta/user/change-phone', {
      token: account.token,
      json: { phone, validnum: await smsCode(server, phone) },
    })
    const next = await signUp(server, { phone: account.phone })
    await remove(account)
    expect(await rows({ rootUserId: next.id })).toMatchObject([{ action: 'sign_up', address: '127.0.0.1' }])
  })
})

let account: Account
beforeAll(async () => {
  account = await signUp(server)
  await signIn(server, account.email, 'wrong password')
})

test('companion security-log shows it, of one account, of one kind, since a time', async () => {
  const everything = await companion(server, 'security-log', '--email', account.email, '--json')
  expect(JSON.parse(everything.out)).toMatchObject([
    { action: 'sign_up', root_user_id: account.id },
    { action: 'sign_in_refused', reason: '400 Password is invalid', address: '127.0.0.1' },
  ])
  const one = await companion(
    server,
    'security-log',
    '--account',
    String(account.id),
    '--action',
    'sign_up',
    '--limit',
    '5',
  )
  expect(one.out).toMatch(
    new RegExp(
      `^WHEN .*\n\\d{4}-\\d\\d-\\d\\dT[\\d:]{8}Z +${account.id}  sign_up  - +127.0.0.1  \\S+ +1  -\n$`,
    ),
  )
  expect((await companion(server, 'security-log', '--since', '2999-01-01', '--json')).out).toBe('[]\n')
  expect(await companion(server, 'security-log', '--email', anyEmail())).toMatchObject({
    code: 1,
    said: 'There is no account with this e-mail\n',
  })
  expect((await companion(server, 'security-log', '--since', 'yesterday')).code).toBe(1)
})

describe('what anybody can have refused is counted, in one row a minute', () => {
  const limited = useServer({ RATE_LIMITS: 'on', TRUST_PROXY: '1' })
  afterEach(() => {
    vi.useRealTimers()
  })
  const at = (now: string) => vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) })
  const told = async (address: string) => {
    const rows = await storedRows(
      limited.database,
      'security_record',
      'SELECT action, reason, times, address FROM security_record WHERE minute IS NOT NULL ORDER BY id',
    )
    return rows
      .filter((row) => row.address === address)
      .map(({ action, reason, times }) => `${times} × ${action} ${reason}`)
  }
  const post = (path: string, json: unknown, address: string) =>
    limited.post(path, { json, headers: { 'x-forwarded-for': address } })
  const refreshBy = (address: string) =>
    post('/api/v1/alpha/auth/refresh-token', { refresh_token: 'x' }, address)
  const refreshes = (count: number, address: string) =>
    Promise.all(Array.from({ length: count }, () => refreshBy(address)))

  test('of one client, action and reason, where no account is named', async () => {
    const [one, other] = ['203.0.113.1', '203.0.113.2']
    at('2026-03-01T12:00:10Z')
    await refreshes(30, one)
    await refreshBy(one)
    await refreshBy(other)
    expect(await told(one)).toEqual(['31 × refresh_refused 401 Could not validate credentials'])
    expect(await told(other)).toEqual(['1 × refresh_refused 401 Could not validate credentials'])
    at('2026-03-01T12:00:59Z')
    await refreshBy(one)
    at('2026-03-01T12:01:00Z')
    await refreshBy(one)
    for (let n = 0; n < 3; n += 1) {
      await post('/api/v1/alpha/auth/email/password-reset', { email: anyEmail() }, one)
      const json = { token: `made up ${n}`, password: PASSWORD }
      await post('/api/v1/alpha/auth/email/password-reset/confirm', json, one)
    }
    expect(await told(one)).toEqual([
      '32 × refresh_refused 401 Could not validate credentials',
      '1 × refresh_refused 401 Could not validate credentials',
      '3 × password_reset_request_refused 404 User ID not found',
      '3 × password_reset_refused unknown token',
    ])
    const audit = await companion(limited, 'security-log', '--action', 'refresh_refused')
    expect(audit.out).toMatch(/ 203\.0\.113\.1 +\S+ +32  -\n/)
    expect(audit.out).toMatch(/ 203\.0\.113\.2 +\S+ +1  -\n/)
  })

  test('an IPv6 client is its /64, and one who is told to wait is counted as well', async () => {
    at('2026-03-01T13:00:00Z')
    for (let n = 0; n < 3; n += 1) await refreshes(40, `2001:db8:1:2::${n}`)
    expect(await told('2001:db8:1:2::/64')).toEqual([
      '100 × refresh_refused 401 Could not validate credentials',
      '20 × refresh_refused 429 Too many requests',
    ])
    expect(await told('2001:db8:1:2::1')).toEqual([])
  })

  test('two servers count into the same row', async () => {
    const other = await startServer({ RATE_LIMITS: 'on', TRUST_PROXY: '1' }, limited.databaseUrl)
    onTestFinished(() => other.stop())
    at('2026-03-01T14:00:00Z')
    const headers = { 'x-forwarded-for': '203.0.113.3' }
    const json = { refresh_token: 'x' }
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 ? limited : other).post('/api/v1/alpha/auth/refresh-token', { json, headers }),
      ),
    )
    expect(await told('203.0.113.3')).toEqual(['20 × refresh_refused 401 Could not validate credentials'])
  })

  test('of an account, each error has a row of its own until there is one too many', async () => {
    const { id, email } = await signUp(limited)
    const counted = async () => {
      const { body } = await limited.get('/metrics')
      const series =
        'companion_security_events_total{action="sign_in_refused",reason="429 Too many requests"} '
      const line = String(body)
        .split('\n')
        .find((each) => each.startsWith(series))
      return Number(line?.slice(series.length) ?? 0)
    }
    const before = await counted()
    const wrong = async (count: number) => {
      for (let n = 0; n < count; n += 1) await signIn(limited, email, 'wrong password')
    }
    const errors = async () => {
      const { rows } = await limited.database.pool.query(
        `SELECT reason, times FROM security_record
         WHERE root_user_id = $1 AND action = 'sign_in_refused' ORDER BY id`,
        [id],
      )
      return rows.map(({ reason, times }) => `${times} × ${reason}`)
    }
    const alone = Array<string>(10).fill('1 × 400 Password is invalid')
    at('2026-03-01T15:00:10Z')
    await wrong(15)
    expect(await errors()).toEqual([...alone, '5 × 429 Too many requests'])
    at('2026-03-01T15:01:10Z')
    await wrong(3)
    expect(await errors()).toEqual([...alone, '5 × 429 Too many requests', '3 × 429 Too many requests'])
    expect((await counted()) - before).toBe(8)
  })
})
