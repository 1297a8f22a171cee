import { createCompanion, isSignedOut, memoryStorage, safe } from '@companion/sdk'
import type { CompanionOptions, SignedOutReason } from '@companion/sdk'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  addDevice,
  anyEmail,
  anyPhone,
  childProfile,
  devlogItem,
  PASSWORD,
  signUpBody,
} from '../support/family.ts'
import { useServer } from '../support/server.ts'

const server = useServer()
const FIFTEEN_MINUTES = 900_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

const isRefresh = (url: string | URL | Request) =>
  (url instanceof Request ? url.url : url.toString()).includes('auth.refresh')

/** A client of the real server, and how often it asked for a refresh. */
function open(options: Partial<CompanionOptions> = {}) {
  const reasons: SignedOutReason[] = []
  let refreshes = 0
  const companion = createCompanion({
    baseUrl: server.url,
    // A client over plain memory refuses a second sign-in on a server.
    storage: { ...memoryStorage() },
    onSignedOut: (reason) => reasons.push(reason),
    ...options,
    fetch: (url, init) => {
      if (isRefresh(url)) refreshes++
      return (options.fetch ?? fetch)(url, init)
    },
  })
  return { companion, reasons, refreshes: () => refreshes }
}

async function signedUp(options: Partial<CompanionOptions> = {}) {
  const phone = anyPhone()
  const email = anyEmail()
  const all = open(options)
  const { auth } = all.companion
  await auth.sendSmsCode({ phone })
  const sent = (await server.outbox()).findLast(({ to }) => to === phone)
  const verified = await auth.verifyPhone({ phone, validnum: sent?.['code'] ?? '' })
  const profile = { ...signUpBody(phone, email), gender: 'F', register_type: 'E' } as const
  const { id } = await auth.signUp({ ...verified, ...profile })
  return { ...all, id, phone, email }
}

test('from the phone number to the chart, and 20 calls with an expired token cost one refresh', async () => {
  vi.setSystemTime('2026-03-10T12:00:00Z')
  const { companion, id, phone, refreshes, reasons } = await signedUp()
  expect(await companion.account.me()).toMatchObject({ root_user_id: id, phone, first_name: 'Kim Jiyoung' })

  const device = await addDevice(server)
  const created = await companion.children.create({ ...childProfile, gender: 'F', ...device })
  const { real_user_id } = created
  expect(created).toMatchObject({ ...childProfile, unique_id: device.unique_id, last_log_file_id: 0 })
  expect(await companion.children.read({ real_user_id })).toEqual({
    ...childProfile,
    id: real_user_id,
    root_user_id: id,
  })

  const night = (date: string, log_file_id: number, treatment_time: number) => ({
    ...devlogItem(device.unique_id, `${date}T21:30:00`, { log_file_id, treatment_time }),
    detail_data: {
      treatment_date: `${date}T21:30:00`,
      finish_flag: '1' as const,
      last_intensity: 9,
      treatment_time,
    },
  })
  const logs = [night('2026-03-08', 1, 600), night('2026-03-09', 2, 1200)]
  await companion.devlogs.upload(logs)
  const { results } = await companion.devlogs.upload([...logs, night('2026-03-10', 3, 1800)], {
    lenient: true,
  })
  expect(results?.map(({ status }) => status)).toEqual(['duplicate', 'duplicate', 'stored'])

  vi.setSystemTime(Date.now() + FIFTEEN_MINUTES)
  const chart = { real_user_id, current_date: '2026-03-10' }
  const charts = await Promise.all(Array.from({ length: 20 }, () => companion.charts.recent(chart)))
  expect(refreshes()).toBe(1)
  expect(new Set(charts.map((each) => JSON.stringify(each))).size).toBe(1)
  expect(charts[0]).toMatchObject({
    treatment_time_data: [
      { treatment_date: '2026-03-08', treatment_time: 600 },
      { treatment_date: '2026-03-09', treatment_time: 1200 },
      { treatment_date: '2026-03-10', treatment_time: 1800 },
    ],
    avg_treatment_time: 1200,
    avg_treatment_intensity: 9,
  })
  expect(reasons).toEqual([])
})

test('errors come with their status and detail', async () => {
  const { companion } = await signedUp()
  const [, error] = await safe(companion.children.read({ real_user_id: 2_000_000_000 }))
  expect(error?.data).toMatchObject({ status: 404, detail: 'Real user is not found' })
  const [, invalid] = await safe(companion.charts.recent({ real_user_id: 1, current_date: '2026-02-30' }))
  expect(invalid?.data).toMatchObject({ status: 422, detail: [{ loc: ['body', 'current_date'] }] })
  const [, unknown] = await safe(companion.auth.signIn({ username: anyEmail(), password: PASSWORD }))
  expect(unknown?.data).toMatchObject({ status: 404, detail: 'User not found' })
})

test('a lost answer to a refresh ends no session, even if the app is restarted', async () => {
  const storage = memoryStorage()
  let losing = true
  const lossy: typeof fetch = async (url, init) => {
    const response = await fetch(url, init)
    if (!losing || !isRefresh(url)) return response
    await response.body?.cancel()
    throw new TypeError('connection lost')
  }
  const { companion, id, refreshes } = await signedUp({ storage, fetch: lossy })
  vi.setSystemTime(Date.now() + FIFTEEN_MINUTES)
  await expect(companion.account.me()).rejects.toThrow('could not be reached')
  expect(refreshes()).toBe(3)
  losing = false
  const { companion: restarted, reasons } = open({ storage })
  expect(await restarted.account.me()).toMatchObject({ root_user_id: id })
  expect(reasons).toEqual([])
})

test('a second phone ends the session of the first, which is told so', async () => {
  const first = await signedUp()
  const second = open()
  await second.companion.auth.signIn({ username: first.email, password: PASSWORD })
  vi.setSystemTime(Date.now() + FIFTEEN_MINUTES)
  const [, error] = await safe(first.companion.account.me())
  expect(isSignedOut(error)).toBe(true)
  expect(first.reasons).toEqual(['duplicate_login'])
})

test('a session that was not used for two weeks has expired', async () => {
  const { companion, reasons } = await signedUp()
  vi.setSystemTime(Date.now() + 1_209_600_000)
  expect(isSignedOut(await companion.account.me().catch((error: unknown) => error))).toBe(true)
  expect(reasons).toEqual(['expired'])
})

test.each([
  ['blocked', 'UPDATE root_user SET blocked_at = now() WHERE id = $1'],
  ['deleted', 'UPDATE root_user SET deleted_at = now() WHERE id = $1'],
])('an account that is %s is signed out at its next call', async (reason, change) => {
  const { companion, id, reasons } = await signedUp()
  await server.database.pool.query(change, [id])
  expect(isSignedOut(await companion.account.me().catch((error: unknown) => error))).toBe(true)
  expect(reasons).toEqual([reason])
  expect(await companion.session.isSignedIn()).toBe(false)
})

test('an account that deletes itself is signed out and cannot sign in again', async () => {
  const { companion, email, reasons } = await signedUp()
  expect(await companion.account.delete()).toMatchObject({ statusCode: 200 })
  expect(reasons).toEqual(['deleted'])
  const [, error] = await safe(companion.auth.signIn({ username: email, password: PASSWORD }))
  expect(error?.data).toMatchObject({ status: 410, detail: 'User is Deleted' })
})

test('a changed password leaves this phone signed in, and no other', async () => {
  const { companion, email, reasons, refreshes } = await signedUp()
  await companion.account.changePassword({ current_password: PASSWORD, new_password: `new ${PASSWORD}` })
  expect(await companion.account.me()).toMatchObject({ first_name: 'Kim Jiyoung' })
  vi.setSystemTime(Date.now() + FIFTEEN_MINUTES)
  expect(await companion.account.me()).toMatchObject({ first_name: 'Kim Jiyoung' })
  expect(refreshes()).toBe(1)
  expect(reasons).toEqual([])
  const [, error] = await safe(companion.auth.signIn({ username: email, password: PASSWORD }))
  expect(error?.data).toMatchObject({ status: 400, detail: 'Password is invalid' })
})

test('a sign-out ends the session here and at the service', async () => {
  const storage = memoryStorage()
  const { companion, reasons } = await signedUp({ storage })
  const thief = open({ storage: { ...storage, removeItem: () => {} } })
  expect(await thief.companion.session.isSignedIn()).toBe(true)
  await companion.auth.signOut()
  expect(reasons).toEqual(['signed_out'])
  expect(await companion.session.isSignedIn()).toBe(false)
  expect(isSignedOut(await thief.companion.account.me().catch((error: unknown) => error))).toBe(true)
})
