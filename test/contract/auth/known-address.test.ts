import { expect, test, vi, afterEach } from 'vitest'
import { PASSWORD, signUp } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'

const server = useServer({ RATE_LIMITS: 'on', TRUST_PROXY: '1' })
const HOME = '203.0.113.7'
const STRANGER = '198.51.100.66'

afterEach(() => {
  vi.useRealTimers()
})

const signInFrom = (address: string, email: string, password = PASSWORD) =>
  server.post('/api/v1/alpha/auth/email/signin', {
    form: { username: email, password },
    headers: { 'x-forwarded-for': address },
  })

async function guess(address: string, email: string, times: number) {
  const statuses = []
  for (let n = 0; n < times; n += 1) statuses.push((await signInFrom(address, email, `guess ${n}`)).status)
  return statuses
}
const tenRefused = [...Array.from({ length: 10 }, () => 400), 429]

test('a stranger who uses the budget up does not lock the parent out at home', async () => {
  const { email } = await signUp(server)
  expect((await signInFrom(HOME, email)).status).toBe(200)
  expect(await guess(STRANGER, email, 11)).toEqual(tenRefused)
  expect((await signInFrom(HOME, email)).status).toBe(200)
  // From a place nobody knows, the parent waits like everybody.
  expect((await signInFrom('192.0.2.1', email)).status).toBe(429)
})

test('of IPv6 the /64 is known, from which a phone calls with another address every day', async () => {
  const { email } = await signUp(server)
  expect((await signInFrom('2001:db8:77:1::1', email)).status).toBe(200)
  expect(await guess(STRANGER, email, 11)).toEqual(tenRefused)
  expect((await signInFrom('2001:db8:77:1:ffff::2', email)).status).toBe(200)
  expect((await signInFrom('2001:db8:77:2::1', email)).status).toBe(429)
  const guesses = [...Array(11).keys()].map((n) => signInFrom(`2001:db8:77:1::${n}`, email, 'guess'))
  expect((await Promise.all(guesses)).filter(({ status }) => status === 400)).toHaveLength(10)
})

test('strangers share one budget, however many addresses they have', async () => {
  const { email } = await signUp(server)
  for (let n = 0; n < 10; n += 1)
    expect((await signInFrom(`198.51.100.${n}`, email, 'guess')).status).toBe(400)
  expect((await signInFrom('198.51.100.200', email, 'guess')).status).toBe(429)
})

test('at home there is a budget too, of its own', async () => {
  const { email } = await signUp(server)
  await signInFrom(HOME, email)
  expect(await guess(HOME, email, 11)).toEqual(tenRefused)
  expect((await signInFrom(STRANGER, email)).status).toBe(200)
})

test('a wrong password makes no address known, and the address where one signed up is', async () => {
  const { email } = await signUp(server)
  expect(await guess(STRANGER, email, 10)).not.toContain(429)
  expect((await signInFrom(STRANGER, email)).status).toBe(429)
  expect((await signInFrom('127.0.0.1', email)).status).toBe(200)
})

test('one account’s address is nothing to another, and is kept as a keyed hash', async () => {
  const [one, other] = [await signUp(server), await signUp(server)]
  await signInFrom(HOME, one.email)
  expect(await guess(STRANGER, other.email, 10)).not.toContain(429)
  expect((await signInFrom(HOME, other.email)).status).toBe(429)
  const { rows } = await server.database.pool.query('SELECT k::text AS line FROM known_address k')
  for (const form of [HOME, Buffer.from(HOME).toString('hex')])
    expect(JSON.stringify(rows)).not.toContain(form)
})
