import { createCompanion, isOffline } from '@companion/sdk'
import type { SignedOutReason } from '@companion/sdk'
import { afterEach, expect, test, vi } from 'vitest'
import { TIMEOUT_MS as timeout, useBadNetwork } from '../support/machines/bad-network.ts'
import { anyPhone, signUpBody, validToken } from '../support/family.ts'
import { useServer } from '../support/server.ts'

const FIFTEEN_MINUTES = 900_000
const server = useServer()
const network = useBadNetwork(server)

afterEach(() => void vi.useRealTimers())

const times = <Result>(count: number, make: (index: number) => Result) =>
  Array.from({ length: count }, (_, index) => make(index))

/** `isImpatient`: takes every access token for expired. */
async function signedUp({ isImpatient = false } = {}) {
  const phone = anyPhone()
  const reasons: SignedOutReason[] = []
  const refreshes: string[] = []
  const companion = createCompanion({
    baseUrl: network.url(),
    timeout,
    onSignedOut: (reason) => reasons.push(reason),
    fetch: async (url, init) => {
      const key = new Headers(init?.headers).get('idempotency-key')
      if (key) refreshes.push(key)
      const response = await fetch(url, init)
      const text = await response.text()
      return new Response(isImpatient ? text.replace(/"expires_in":\d+/, '"expires_in":0') : text, response)
    },
  })
  const valid_token = await validToken(server, phone)
  const profile = { ...signUpBody(phone), gender: 'F', register_type: 'E' } as const
  const { id } = await companion.auth.signUp({ ...profile, valid_token })
  return { id, companion, reasons, refreshes }
}

test('1,000 refreshes by 40 phones, with answers lost at random, sign nobody out', async () => {
  const phones = await Promise.all(times(40, () => signedUp({ isImpatient: true })))
  network.isBad = true
  await Promise.all(
    phones.map(async ({ companion }) => {
      for (let call = 0; call < 26; call++) {
        await companion.account.me().catch((error: unknown) => {
          if (!isOffline(error)) throw error
        })
      }
    }),
  )
  network.isBad = false
  const profiles = await Promise.all(phones.map(({ companion }) => companion.account.me()))
  expect(profiles.map(({ root_user_id }) => root_user_id)).toEqual(phones.map(({ id }) => id))
  expect(phones.flatMap(({ reasons }) => reasons)).toEqual([])
  const sent = phones.flatMap(({ refreshes }) => refreshes)
  expect(new Set(sent).size).toBeGreaterThan(1000)
  expect(sent.length - new Set(sent).size).toBeGreaterThan(200)
})

test('200 calls at once with an expired token cost one refresh', async () => {
  const { companion, refreshes, reasons } = await signedUp()
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(Date.now() + FIFTEEN_MINUTES)
  await Promise.all(times(200, (index) => (index % 2 ? companion.account.me() : companion.children.list())))
  expect(refreshes).toHaveLength(1)
  expect(reasons).toEqual([])
})
