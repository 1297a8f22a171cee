import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { failureOf, patiently } from '../testing/settle.ts'
import { cut, me, refuse, serviceInMemory } from '../testing/service-in-memory.ts'
import { createCompanion, isOffline } from './index.ts'
import type { CallReport, CompanionOptions } from './index.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

async function signedIn(options: Partial<CompanionOptions> = {}) {
  const service = serviceInMemory()
  const companion = createCompanion({ baseUrl: 'https://companion.test', fetch: service.fetch, ...options })
  await patiently(companion.auth.signIn({ username: '', password: '' }))
  return { service, companion }
}

const note = { real_user_id: 1, created_at: '2026-03-01' }
const report = { real_user_id: 1, current_date: '2026-03-01', select_mode: 0 } as const

const failures: [string, () => Response][] = [
  ['a cut connection', cut],
  ['the page of a proxy', () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
  ['429', () => refuse(429, 'Too many requests')],
  ['503', () => refuse(503, 'Not now')],
]

test.each(failures)('a read is sent again after %s, twice at most', async (_what, fail) => {
  const { service, companion } = await signedIn()
  service.instead = ({ path }) => (service.to(path).length < 3 ? fail() : undefined)
  expect(await patiently(companion.account.me())).toEqual(me)
  expect(service.to('account.me')).toHaveLength(3)

  service.instead = fail
  await failureOf(companion.account.me())
  expect(service.to('account.me')).toHaveLength(6)
})

test.each(failures)('a write that ends in %s is sent again under the same key', async (_what, fail) => {
  const { service, companion } = await signedIn()
  service.instead = fail
  const error = await failureOf(companion.calendar.saveEvent(note))
  expect(error).toMatchObject({ mayHaveHappened: isOffline(error) })
  const sent = service.to('calendar.saveEvent')
  expect(sent).toHaveLength(3)
  expect(new Set(sent.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1)
})

test('a read that is refused is sent once', async () => {
  const { service, companion } = await signedIn()
  service.instead = () => refuse(404, 'Real user is not found')
  await failureOf(companion.children.read({ real_user_id: 1 }))
  expect(service.to('children.read')).toHaveLength(1)
})

test.each([
  ['of the client', { retries: 0 }, {}],
  ['of the call', {}, { retries: 0 }],
])('`retries: 0` %s turns it off', async (_where, ofClient, ofCall) => {
  const { service, companion } = await signedIn(ofClient)
  service.instead = cut
  expect(isOffline(await failureOf(companion.account.me(ofCall)))).toBe(true)
  expect(service.to('account.me')).toHaveLength(1)
})

test('a read waits as long as Retry-After says', async () => {
  const { service, companion } = await signedIn()
  const times: number[] = []
  service.instead = ({ path }) => {
    times.push(Date.now())
    return service.to(path).length === 1
      ? refuse(429, 'Too many requests', { 'retry-after': '7' })
      : undefined
  }
  expect(await patiently(companion.account.me())).toEqual(me)
  const [first = 0, second = 0] = times
  expect(second - first).toBeGreaterThanOrEqual(7000)
})

test.each([
  ['a call', 'account.me'],
  ['a file', '/api/v1/beta/pdf/export'],
])(
  '%s that would have to wait beyond its time limit fails at once and says how long',
  async (_what, path) => {
    const { service, companion } = await signedIn()
    service.instead = () =>
      path.startsWith('/')
        ? Response.json({ detail: 'Too many requests' }, { status: 429, headers: { 'retry-after': '57' } })
        : refuse(429, 'Too many requests', { 'retry-after': '57' })
    const started = Date.now()
    const call = path.startsWith('/') ? companion.reports.exportPdf(report) : companion.account.me()
    expect(await failureOf(call)).toMatchObject({ retryAfter: 57_000, data: { status: 429 } })
    expect(Date.now() - started).toBeLessThan(100)
    expect(service.to(path)).toHaveLength(1)
  },
)

test('a pause ends with the signal of the call', async () => {
  const { service, companion } = await signedIn()
  service.instead = () => refuse(503, 'Not now', { 'retry-after': '20' })
  const controller = new AbortController()
  const call = failureOf(companion.account.me({ signal: controller.signal }))
  await vi.advanceTimersByTimeAsync(1000)
  controller.abort()
  expect(await call).toMatchObject({ cause: { name: 'AbortError' } })
  await vi.advanceTimersByTimeAsync(30_000)
  expect(service.to('account.me')).toHaveLength(1)
})

test('the listener is told how each call has ended', async () => {
  const calls: CallReport[] = []
  const { service, companion } = await signedIn({ onCall: (call) => calls.push(call) })
  let cuts = 0
  service.instead = ({ path }) => (path === 'calendar.saveEvent' && cuts++ < 2 ? cut() : undefined)
  await patiently(companion.calendar.saveEvent(note))
  service.instead = () => refuse(400, 'Failed to store user event')
  await failureOf(companion.calendar.saveEvent(note))
  service.instead = cut
  await failureOf(companion.account.me())
  expect(calls).toMatchObject([
    { operation: 'auth.signIn', status: 200, tries: 1 },
    { operation: 'calendar.saveEvent', status: 200, tries: 3 },
    { operation: 'calendar.saveEvent', status: 400, tries: 1 },
    { operation: 'account.me', status: undefined, requestId: undefined, tries: 3 },
  ])
  expect(calls[1]?.ms).toBeGreaterThan(500)
})

test('a write of which one attempt got no response may have happened, unless a later one tells', async () => {
  const { service, companion } = await signedIn()
  const ends = async (...responses: (() => Response)[]) => {
    service.instead = () => responses.shift()?.()
    const { mayHaveHappened } = Object(await failureOf(companion.calendar.saveEvent(note)))
    return mayHaveHappened
  }
  const busy = () => refuse(503, 'Not now')
  expect(await ends(cut, busy, busy)).toBe(true)
  expect(await ends(busy, busy, busy)).toBe(false)
  expect(await ends(cut, () => refuse(400, 'Failed to store user event'))).toBe(false)
  expect(await ends(cut, () => refuse(409, 'Request is in progress'), busy)).toBe(true)
})

test('a sign-out whose response was lost is done', async () => {
  const { service, companion } = await signedIn()
  let cuts = 0
  service.instead = () => (cuts++ === 0 ? cut() : refuse(401, 'Could not validate credentials'))
  await patiently(companion.auth.signOut())
  expect(await patiently(companion.session.isSignedIn())).toBe(false)
})
