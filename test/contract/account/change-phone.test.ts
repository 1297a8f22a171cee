import { afterEach, expect, test, vi } from 'vitest'
import { anyPhone, signUp, smsCode } from '../../support/family.ts'
import { inBetween } from '../../support/lock.ts'
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
  const answer = await inBetween(server, {
    lock: `SELECT FROM root_user WHERE id = ${id} FOR UPDATE`,
    change: `UPDATE root_user SET deleted_at = now(), phone = NULL WHERE id = ${id}`,
    call: () => change(token, { phone, validnum }),
  })
  expect(answer).toMatchObject({ status: 401, body: { detail: 'User is Deleted' } })
  expect((await signUp(server, { phone })).phone).toBe(phone)
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
  const answers = await Promise.all(accounts.map(({ token }) => change(token, { phone, validnum })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
})

test.each([{ phone: '01012345678', validnum: '123456' }, { validnum: '123456' }, { phone: 5 }])(
  '%j is a validation error',
  async (json) => {
    const { token } = await signUp(server)
    const { status, body } = await change(token, json)
    expect(status).toBe(422)
    expect(body.detail[0].loc).toEqual(['body', 'phone'])
  },
)
