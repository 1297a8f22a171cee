import { afterEach, describe, expect, test, vi } from 'vitest'
import { purge } from '@companion/server/retention/purge.ts'
import { anyPhone, signUp, smsCode } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'
import type { TestServer } from '../../support/server.ts'
import { tally } from '../../support/response-tally.ts'

const server = useServer()
const limited = useServer({ RATE_LIMITS: 'on', TRUST_PROXY: '1' })

const verify = (phone: unknown, validnum: unknown, on: Pick<TestServer, 'post'> = server) =>
  on.post('/api/v1/alpha/auth/phone-number-validation', { json: { phone, validnum } })

const wrongOf = (code: string, n = 1) => String((Number(code) + n) % 1_000_000).padStart(6, '0')

const invalid = { status: 400, body: { detail: 'Validation code is invalid' } }
const expired = { status: 400, body: { detail: 'Validation code is expired' } }

const DAY = 86_400_000
afterEach(() => {
  vi.useRealTimers()
})
const wait = (milliseconds: number) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + milliseconds })
}

test('the right code gives a valid_token, once', async () => {
  const phone = anyPhone()
  const code = await smsCode(server, phone)
  expect(await verify(phone, code)).toMatchObject({
    status: 200,
    body: { valid_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/), country: 'KR' },
  })
  expect(await verify(phone, code)).toMatchObject(invalid)
})

test('a code lives 180 seconds', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const [inTime, late] = [anyPhone(), anyPhone()]
  const codes = [await smsCode(server, inTime), await smsCode(server, late)]
  wait(179_999)
  expect((await verify(inTime, codes[0])).status).toBe(200)
  wait(1)
  expect(await verify(late, codes[1])).toMatchObject(expired)
  // Hours later it is still told from a wrong one.
  wait(3 * 3_600_000)
  await purge(server.database, server.config)
  expect(await verify(late, codes[1])).toMatchObject(expired)
})

test('only the newest code counts', async () => {
  const phone = anyPhone()
  const old = await smsCode(server, phone)
  let fresh = await smsCode(server, phone)
  while (fresh === old) fresh = await smsCode(server, phone)
  expect(await verify(phone, old)).toMatchObject(invalid)
  expect((await verify(phone, fresh)).status).toBe(200)
})

test('a code is good for its own phone only, and nothing is good where none was sent', async () => {
  const phone = anyPhone()
  const code = await smsCode(server, phone)
  expect(await verify(anyPhone(), code)).toMatchObject(invalid)
  const other = anyPhone()
  while ((await smsCode(server, other)) === code);
  expect(await verify(other, code)).toMatchObject(invalid)
  expect((await verify(phone, code)).status).toBe(200)
})

test('after 5 wrong attempts even the right code is invalid, until a new one is sent', async () => {
  const phone = anyPhone()
  const code = await smsCode(server, phone)
  for (let n = 1; n <= 5; n++) expect(await verify(phone, wrongOf(code, n))).toMatchObject(invalid)
  expect(await verify(phone, code)).toMatchObject(invalid)
  expect((await verify(phone, await smsCode(server, phone))).status).toBe(200)
})

test('4 wrong attempts leave one', async () => {
  const phone = anyPhone()
  const code = await smsCode(server, phone)
  for (let n = 1; n <= 4; n++) expect(await verify(phone, wrongOf(code, n))).toMatchObject(invalid)
  expect((await verify(phone, code)).status).toBe(200)
})

test('guesses sent at once are counted like any other', async () => {
  const phone = anyPhone()
  const code = await smsCode(limited, phone)
  const guesses = Array.from({ length: 30 }, (_, n) => verify(phone, wrongOf(code, n + 1), limited))
  // Were more than 5 of them compared with the code, some would be answered by the limit of 10 an hour.
  expect(tally(await Promise.all(guesses))).toEqual({ '400 Validation code is invalid': 30 })
  expect(await verify(phone, code, limited)).toMatchObject(invalid)
})

test.each([
  ['without limits', server],
  ['with limits', limited],
])('of 50 uses of one right code at once, %s, one succeeds', async (_name, on) => {
  const phone = anyPhone()
  const code = await smsCode(on, phone)
  const responses = await Promise.all(Array.from({ length: 50 }, () => verify(phone, code, on)))
  expect(tally(responses)).toEqual({ 200: 1, '400 Validation code is invalid': 49 })
})

describe('a phone that has an account', () => {
  test('is told so after the right code only, which stays usable for what it was sent for', async () => {
    const { phone } = await signUp(server)
    expect(await verify(phone, '000000')).toMatchObject(invalid)
    const code = await smsCode(server, phone, 'recovery')
    expect(await verify(phone, wrongOf(code))).toMatchObject(invalid)
    const taken = { status: 409, body: { detail: 'Phone number is already registered' } }
    expect(await verify(phone, code)).toMatchObject(taken)
    expect(await verify(phone, code)).toMatchObject(taken)
    wait(180_000)
    expect(await verify(phone, code)).toMatchObject(expired)
  })

  test('that was deleted is refused for TOMBSTONE_DAYS, then free', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { phone, token } = await signUp(server)
    expect((await server.delete('/api/v1/beta/user/root-user', { token })).status).toBe(200)
    const deleted = { status: 403, body: { detail: 'User previously deleted' } }
    expect(await verify(phone, await smsCode(server, phone))).toMatchObject(deleted)
    wait(365 * DAY - 1000)
    const code = await smsCode(server, phone)
    expect(await verify(phone, wrongOf(code))).toMatchObject(invalid)
    expect(await verify(phone, code)).toMatchObject(deleted)
    wait(1000)
    expect((await verify(phone, code)).status).toBe(200)
  })
})

test('10 wrong codes for one phone within an hour end in 429, even if new codes are sent', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const phone = anyPhone()
  for (let round = 0; round < 2; round++) {
    const code = await smsCode(limited, phone)
    for (let n = 1; n <= 5; n++) expect(await verify(phone, wrongOf(code, n), limited)).toMatchObject(invalid)
  }
  const right = await smsCode(limited, phone)
  const refused = await verify(phone, right, limited)
  expect(refused).toMatchObject({ status: 429, body: { detail: 'Too many requests' } })
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500)
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(3600)
  // Another phone is not held up.
  const other = anyPhone()
  expect((await verify(other, await smsCode(limited, other), limited)).status).toBe(200)
  wait(3_600_000)
  expect((await verify(phone, await smsCode(limited, phone), limited)).status).toBe(200)
})

test('right codes are not counted as wrong ones', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const { phone } = await signUp(limited)
  for (let round = 0; round < 3; round++) {
    const code = await smsCode(limited, phone, 'recovery')
    for (let n = 0; n < 5; n++) expect((await verify(phone, code, limited)).status).toBe(409)
    wait(61_000)
  }
})

test.each([
  ['phone', 821012345678],
  ['phone', undefined],
  ['validnum', 123456],
  ['validnum', null],
  ['validnum', undefined],
  ['validnum', '\uDC00'],
])('%s %j is a validation error', async (field, value) => {
  const sent = { phone: anyPhone(), validnum: '123456', [field]: value }
  const { status, body } = await verify(sent.phone, sent.validnum)
  expect(status).toBe(422)
  expect(body.detail).toMatchObject([{ loc: ['body', field] }])
})

test('a code is not said again even when it is none', async () => {
  expect((await verify(anyPhone(), 123456)).body.detail).toMatchObject([{ input: null }])
})
