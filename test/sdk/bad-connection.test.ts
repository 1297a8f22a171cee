import { createRandom } from '@companion/device-simulator'
import { createCompanion, isOffline, memoryStorage } from '@companion/sdk'
import type { Companion, SignedOutReason } from '@companion/sdk'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import {
  addChild,
  anyPhone,
  devlogItem,
  PASSWORD,
  signUp,
  signUpBody,
  validToken,
} from '../support/family.ts'
import { startProxy } from '../support/proxy.ts'
import type { Proxy } from '../support/proxy.ts'
import { useServer } from '../support/server.ts'

const FIFTEEN_MINUTES = 900_000
const LOST = 0.3
/** No call shall end by its time limit here, which a busy machine may reach. */
const timeout = 240_000
const server = useServer()
const random = createRandom(20_261_120)
let network: Proxy
let lost = 0
let isBad = false

beforeAll(async () => {
  network = await startProxy(server.url, () => {
    const isLost = isBad && random.chance(LOST)
    if (isLost) lost++
    return isLost
  })
})
afterAll(() => network.close())
afterEach(() => {
  isBad = false
  lost = 0
  vi.useRealTimers()
})

const times = <Result>(count: number, make: (index: number) => Result) =>
  Array.from({ length: count }, (_, index) => make(index))

/** `isImpatient`: takes every access token for expired. */
async function signedUp({ isImpatient = false } = {}) {
  const phone = anyPhone()
  const reasons: SignedOutReason[] = []
  const refreshes: string[] = []
  const companion = createCompanion({
    baseUrl: network.url,
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
  isBad = true
  await Promise.all(
    phones.map(async ({ companion }) => {
      for (let call = 0; call < 26; call++) {
        await companion.account.me().catch((error: unknown) => {
          if (!isOffline(error)) throw error
        })
      }
    }),
  )
  isBad = false
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

/** An app that is killed now and then, with all it was about to do, and started again over what it has saved. */
function killableApp() {
  const kept = memoryStorage()
  let started = 0
  return (): Companion => {
    const mine = ++started
    const alive = () => mine === started
    return createCompanion({
      baseUrl: network.url,
      timeout,
      storage: {
        getItem: (key) => kept.getItem(key),
        setItem: (key, value) => alive() && kept.setItem(key, value),
        removeItem: (key) => alive() && kept.removeItem(key),
      },
      fetch: (url, init) => (alive() ? fetch(url, init) : new Promise(() => {})),
    })
  }
}

test('1,000 notes and logs of 20 phones, with answers lost and apps killed at random, are stored exactly once', async () => {
  const families = await Promise.all(
    times(20, async () => {
      const account = await signUp(server)
      const child = await addChild(server, account.token)
      const start = killableApp()
      await start().auth.signIn({ username: account.email, password: PASSWORD })
      return { child, start }
    }),
  )
  const day = (index: number) => `2026-03-${String(index + 1).padStart(2, '0')}`
  isBad = true
  await Promise.all(
    families.map(async ({ child: { real_user_id, unique_id }, start }) => {
      let app = start()
      for (let index = 0; index < 25; index++) {
        await app.outbox.saveEvent({ real_user_id, created_at: day(index), memo: `note ${index}` })
        const log = devlogItem(unique_id, `${day(index)}T21:30:00`, { log_file_id: index + 1 })
        await app.outbox.uploadDevlogs([{ ...log, detail_data: { ...log.detail_data, finish_flag: '1' } }])
        if (random.chance(0.2)) await new Promise((resolve) => setTimeout(resolve, 20))
        if (random.chance(0.2)) app = start()
      }
      while ((await app.outbox.list()).length > 0) {
        await app.outbox.send()
        if (random.chance(0.05)) app = start()
      }
    }),
  )
  expect(lost).toBeGreaterThan(100)
  const children = families.map(({ child }) => child.real_user_id)
  const stored = await server.database.pool.query(
    `SELECT 'note' AS kind, real_user_id, memo AS what, event_date::text AS day FROM event WHERE real_user_id = ANY ($1)
     UNION ALL
     SELECT 'log', real_user_id, log_file_id::text, treatment_date::date::text FROM treatment WHERE real_user_id = ANY ($1)`,
    [children],
  )
  const expected = children.flatMap((real_user_id) =>
    times(25, (index) => [
      { kind: 'note', real_user_id, what: `note ${index}`, day: day(index) },
      { kind: 'log', real_user_id, what: String(index + 1), day: day(index) },
    ]).flat(),
  )
  const inOrder = (rows: object[]) => rows.map((row) => JSON.stringify(row)).toSorted()
  const { keyRing } = server.database
  const found = stored.rows.map((row) => ({ ...row, what: keyRing.open('event.memo', row.what) }))
  expect(inOrder(found)).toEqual(inOrder(expected))
  expect(expected).toHaveLength(1000)
})
