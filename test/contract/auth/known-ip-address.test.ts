import { afterEach, describe, expect, test, vi } from 'vitest'
import { PASSWORD, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { confirmReset, resetToken } from '../../support/outside/mailbox.ts'
import { useServer } from '../../support/server.ts'
import { tally } from '../../support/response-tally.ts'

const server = useServer({ RATE_LIMITS: 'on', TRUST_PROXY: '1' })
const HOME = '203.0.113.7'
const STRANGER = '198.51.100.66'
const NEW = 'a brand new password'

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

describe('100 failures in a row from strangers', () => {
  const HOUR = 3_600_000
  const streak = async ({ id }: Account): Promise<number | undefined> => {
    const { rows } = await server.database.pool.query(
      `SELECT failures FROM unknown_ip_failures WHERE root_user_id = ${id}`,
    )
    return rows[0]?.failures
  }
  /** An account with a home, and strangers who have failed so often. */
  async function attacked(failures: number): Promise<Account> {
    const account = await signUp(server)
    await signInFrom(HOME, account.email)
    await guess(STRANGER, account.email, 2)
    expect(await streak(account)).toBe(2)
    await server.database.pool.query(
      `UPDATE unknown_ip_failures SET failures = ${failures} WHERE root_user_id = ${account.id}`,
    )
    return account
  }
  const wait = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })

  test('lock strangers out, with the right password too, for good; home is not touched', async () => {
    const account = await attacked(99)
    const { email } = account
    expect(await guess('198.51.100.67', email, 1)).toEqual([400])
    const refused = await signInFrom('198.51.100.68', email)
    expect(refused).toMatchObject({ status: 429, body: { detail: 'Too many requests' } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await streak(account)).toBe(100)
    wait(100 * HOUR)
    expect((await signInFrom('198.51.100.68', email)).status).toBe(429)
    expect(await guess(HOME, email, 2)).toEqual([400, 400])
    expect((await signInFrom('198.51.100.68', email)).status).toBe(429)

    // Home ends it.
    expect((await signInFrom(HOME, email)).status).toBe(200)
    expect(await guess(STRANGER, email, 1)).toEqual([400])
    expect((await signInFrom('198.51.100.68', email)).status).toBe(200)
  })

  test('are exactly 100, however many try at once', async () => {
    const account = await attacked(95)
    wait(HOUR)
    const attempts = Array.from({ length: 9 }, (_, n) => signInFrom(`192.0.2.${n}`, account.email, 'guess'))
    expect(tally(await Promise.all(attempts))).toEqual({
      '400 Password is invalid': 5,
      '429 Too many requests': 4,
    })
    expect(await streak(account)).toBe(100)
  })

  test.each<[string, (account: Account) => Promise<unknown>]>([
    ['a reset', async ({ email }) => confirmReset(server, await resetToken(server, email), NEW)],
    [
      'a new password',
      ({ token }) =>
        server.post('/api/v1/beta/user/change-password', {
          token,
          json: { current_password: PASSWORD, new_password: NEW },
        }),
    ],
  ])('end with %s', async (_what, end) => {
    const account = await attacked(100)
    expect((await signInFrom(STRANGER, account.email)).status).toBe(429)
    await end(account)
    expect((await signInFrom(STRANGER, account.email, NEW)).status).toBe(200)
  })

  test('are in a row no more after a right password from anywhere, and go with the account', async () => {
    const account = await attacked(99)
    expect((await signInFrom(STRANGER, account.email)).status).toBe(200)
    expect(await streak(account)).toBe(undefined)
    await guess('198.51.100.69', account.email, 1)
    expect(await streak(account)).toBe(1)
    const gone = await server.delete('/api/v1/beta/user/root-user', { token: account.token })
    expect(gone.status).toBe(200)
    expect(await streak(account)).toBe(undefined)
  })
})

test('one account’s address is nothing to another, and is kept as a keyed hash', async () => {
  const [one, other] = [await signUp(server), await signUp(server)]
  await signInFrom(HOME, one.email)
  expect(await guess(STRANGER, other.email, 10)).not.toContain(429)
  expect((await signInFrom(HOME, other.email)).status).toBe(429)
  const { rows } = await server.database.pool.query('SELECT k::text AS line FROM known_ip_address k')
  for (const form of [HOME, Buffer.from(HOME).toString('hex')])
    expect(JSON.stringify(rows)).not.toContain(form)
})
