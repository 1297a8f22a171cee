import { afterEach, describe, expect, test, vi } from 'vitest'
import { anyPhone, PASSWORD, signUp, smsCode } from '../../support/family.ts'
import { inBetween } from '../../support/lock-waits.ts'
import { useServer } from '../../support/server.ts'
import type { TestServer } from '../../support/server.ts'

const server = useServer()
const limited = useServer({ RATE_LIMITS: 'on' })
const change = (token: string, json: object, on: Pick<TestServer, 'post'> = server) =>
  on.post('/api/v1/beta/user/change-phone', { token, json })
const phoneOf = async (token: string) => (await server.get('/api/v1/beta/user/me', { token })).body.phone
const wrong = (code: string) => (code === '000000' ? '000001' : '000000')
const invalid = { status: 400, body: { detail: 'Validation code is invalid' } }

afterEach(() => {
  vi.useRealTimers()
})

test('the code sent to the new number changes it; the old one is free', async () => {
  const { token, phone: old } = await signUp(server)
  const phone = anyPhone()
  const validnum = await smsCode(server, phone)
  expect(await change(token, { phone, validnum })).toMatchObject({
    status: 200,
    body: { statusCode: 200, message: expect.stringContaining('updated') },
  })
  expect(await phoneOf(token)).toBe(phone)
  expect((await signUp(server, { phone: old })).phone).toBe(old)
})

test('without a code, or with a wrong or used one, nothing changes', async () => {
  const { token, phone: old } = await signUp(server)
  const phone = anyPhone()
  const validnum = await smsCode(server, phone)
  expect(await change(token, { phone })).toMatchObject(invalid)
  expect(await change(token, { phone, validnum: wrong(validnum) })).toMatchObject(invalid)
  expect(await change(token, { phone: anyPhone(), validnum })).toMatchObject(invalid)
  expect(await phoneOf(token)).toBe(old)
  expect((await change(token, { phone, validnum })).status).toBe(200)
  expect(await change(token, { phone, validnum })).toMatchObject(invalid)
})

test('an account that is deleted in between keeps no new number', async () => {
  const { id, token } = await signUp(server)
  const phone = anyPhone()
  const validnum = await smsCode(server, phone)
  const response = await inBetween(server, {
    lock: `SELECT FROM root_user WHERE id = ${id} FOR UPDATE`,
    change: `UPDATE root_user SET deleted_at = now(), phone = NULL WHERE id = ${id}`,
    call: () => change(token, { phone, validnum }),
  })
  expect(response).toMatchObject({ status: 401, body: { detail: 'User is Deleted' } })
  expect((await signUp(server, { phone })).phone).toBe(phone)
})

describe('where the password is asked for', () => {
  const strict = useServer({ PHONE_CHANGE_PASSWORD: 'required', RATE_LIMITS: 'on' })
  const changeAt = (token: string, json: object) =>
    strict.post('/api/v1/beta/user/change-phone', { token, json })

  test('the number changes with it alone, and without it the code is still good', async () => {
    const { token } = await signUp(strict)
    const phone = anyPhone()
    const code = { phone, validnum: await smsCode(strict, phone) }
    expect(await changeAt(token, code)).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'missing', loc: ['body', 'current_password'], input: null }] },
    })
    const wrong = await changeAt(token, { ...code, current_password: 'not the password' })
    expect(wrong).toMatchObject({ status: 400, body: { detail: 'Password is invalid' } })
    expect((await changeAt(token, { ...code, current_password: PASSWORD })).status).toBe(200)
    expect((await strict.get('/api/v1/beta/user/me', { token })).body.phone).toBe(phone)
  })

  test('it may be tried 10 times in 15 minutes, here and where it is changed together', async () => {
    const { token } = await signUp(strict)
    const phone = anyPhone()
    const json = { phone, validnum: '000000', current_password: 'not the password' }
    for (let n = 0; n < 9; n += 1) expect((await changeAt(token, json)).status).toBe(400)
    const passwords = { current_password: 'not the password', new_password: 'a brand new password' }
    expect((await strict.post('/api/v1/beta/user/change-password', { token, json: passwords })).status).toBe(
      400,
    )
    expect((await changeAt(token, { ...json, current_password: PASSWORD })).status).toBe(429)
  })

  test('an account that has none is not asked', async () => {
    const { id, token } = await signUp(strict)
    await strict.database.sql
      .updateTable('root_user')
      .set({ password_hash: null, register_type: 'S' })
      .where('id', '=', id)
      .execute()
    const phone = anyPhone()
    expect((await changeAt(token, { phone, validnum: await smsCode(strict, phone) })).status).toBe(200)
  })

  test('elsewhere it is ignored', async () => {
    const { token } = await signUp(server)
    const phone = anyPhone()
    const json = { phone, validnum: await smsCode(server, phone), current_password: 'not the password' }
    expect((await change(token, json)).status).toBe(200)
  })
})

test('a code lives 180 seconds', async () => {
  const { token } = await signUp(server)
  const phone = anyPhone()
  const validnum = await smsCode(server, phone)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 180_000 })
  expect(await change(token, { phone, validnum })).toMatchObject({
    status: 400,
    body: { detail: 'Validation code is expired' },
  })
})

test('10 wrong codes for a number within an hour end in 429', async () => {
  const { token } = await signUp(limited)
  const phone = anyPhone()
  for (let round = 0; round < 2; round++) {
    const validnum = wrong(await smsCode(limited, phone))
    for (let n = 1; n <= 5; n++)
      expect(await change(token, { phone, validnum }, limited)).toMatchObject(invalid)
  }
  const validnum = await smsCode(limited, phone)
  expect(await change(token, { phone, validnum }, limited)).toMatchObject({
    status: 429,
    body: { detail: 'Too many requests' },
  })
})

test('the number of another account, or of a deleted one, cannot be had', async () => {
  const [{ token }, other, gone] = [await signUp(server), await signUp(server), await signUp(server)]
  await server.delete('/api/v1/beta/user/root-user', { token: gone.token })
  const codeFor = (phone: string) => smsCode(server, phone, 'recovery')
  expect(await change(token, { phone: other.phone, validnum: await codeFor(other.phone) })).toMatchObject({
    status: 409,
    body: { detail: 'Phone number is already registered' },
  })
  expect(await change(token, { phone: gone.phone, validnum: await codeFor(gone.phone) })).toMatchObject({
    status: 403,
    body: { detail: 'User previously deleted' },
  })
})

test('two accounts that want one number at once do not both get it', async () => {
  const accounts = [await signUp(server), await signUp(server)]
  const phone = anyPhone()
  const validnum = await smsCode(server, phone)
  const responses = await Promise.all(accounts.map(({ token }) => change(token, { phone, validnum })))
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
})

test.each([{ validnum: '123456' }, { phone: 5 }])('%j is a validation error', async (json) => {
  const { token } = await signUp(server)
  const { status, body } = await change(token, json)
  expect(status).toBe(422)
  expect(body.detail[0].loc).toEqual(['body', 'phone'])
})
