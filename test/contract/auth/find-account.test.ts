import { afterEach, expect, test, vi } from 'vitest'
import { anyPhone, signUp, smsCode } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'
import type { TestServer } from '../../support/server.ts'

const server = useServer()
const limited = useServer({ RATE_LIMITS: 'on' })
const find = (phone: unknown, validnum: unknown, on: Pick<TestServer, 'post'> = server) =>
  on.post('/api/v1/alpha/auth/find-account', { json: { phone, validnum } })
const invalid = { status: 400, body: { detail: 'Validation code is invalid' } }
const wrong = (code: string) => (code === '000000' ? '000001' : '000000')

afterEach(() => {
  vi.useRealTimers()
})

test('a parent who forgot everything finds the e-mail by the phone, once a code', async () => {
  const { phone, email } = await signUp(server)
  const code = await smsCode(server, phone, 'recovery')
  expect(await find(phone, code)).toMatchObject({ status: 200, body: { email, provider: 'email' } })
  expect(await find(phone, code)).toMatchObject(invalid)
})

test('used 20 times at once, a code works once', async () => {
  const { phone } = await signUp(server)
  const code = await smsCode(server, phone, 'recovery')
  const responses = await Promise.all(Array.from({ length: 20 }, () => find(phone, code)))
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
})

test('a wrong code tells nothing about the phone', async () => {
  const { phone } = await signUp(server)
  const code = await smsCode(server, phone, 'recovery')
  expect(await find(phone, wrong(code))).toMatchObject(invalid)
  expect(await find(anyPhone(), code)).toMatchObject(invalid)
})

test('10 wrong codes for a phone within an hour end in 429', async () => {
  const phone = anyPhone()
  for (let round = 0; round < 2; round++) {
    const code = wrong(await smsCode(limited, phone, 'recovery'))
    for (let n = 1; n <= 5; n++) expect(await find(phone, code, limited)).toMatchObject(invalid)
  }
  expect(await find(phone, await smsCode(limited, phone, 'recovery'), limited)).toMatchObject({
    status: 429,
    body: { detail: 'Too many requests' },
  })
})

test('a code lives 180 seconds', async () => {
  const { phone } = await signUp(server)
  const code = await smsCode(server, phone, 'recovery')
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 180_000 })
  expect(await find(phone, code)).toMatchObject({
    status: 400,
    body: { detail: 'Validation code is expired' },
  })
})

test('a phone without an account is not found', async () => {
  const phone = anyPhone()
  expect(await find(phone, await smsCode(server, phone, 'recovery'))).toMatchObject({
    status: 404,
    body: { detail: 'User id is not found' },
  })
})

test('the phone of a deleted account is told so', async () => {
  const { phone, token } = await signUp(server)
  await server.delete('/api/v1/beta/user/root-user', { token })
  expect(await find(phone, await smsCode(server, phone, 'recovery'))).toMatchObject({
    status: 403,
    body: { detail: 'User previously deleted' },
  })
})

test.each([
  ['phone', undefined, '123456'],
  ['validnum', '+821012345678', 123456],
  ['validnum', '+821012345678', undefined],
])('a invalid %s is a validation error', async (field, phone, validnum) => {
  const { status, body } = await find(phone, validnum)
  expect(status).toBe(422)
  expect(body.detail[0].loc).toEqual(['body', field])
})
