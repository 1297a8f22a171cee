import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { failureOf, patiently } from '../testing/settle.ts'
import { answer, cut, me, refuse, serviceInMemory, slowStorage } from '../testing/service-in-memory.ts'
import type { Sent } from '../testing/service-in-memory.ts'
import { errorResponseOf } from './errors.ts'
import { createCompanion, isOffline, isSignedOut, isStorageFailure, safe } from './index.ts'
import type { Companion, CompanionOptions, SignedOutReason } from './index.ts'

const credentials = { username: 'parent@example.com', password: 'correct horse battery' }
const FIFTEEN_MINUTES = 900_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

function setUp(options: Partial<CompanionOptions> = {}) {
  const service = serviceInMemory()
  const storage = slowStorage()
  const reasons: SignedOutReason[] = []
  const open = (more: Partial<CompanionOptions> = {}) =>
    createCompanion({
      baseUrl: 'https://companion.test',
      storage,
      fetch: service.fetch,
      onSignedOut: (reason) => reasons.push(reason),
      ...options,
      ...more,
    })
  const kept = () =>
    JSON.parse(storage.items.get('companion.session.https_3a__2f__2f_companion.test') ?? 'null')
  return { service, storage, reasons, open, kept, companion: open() }
}

async function signedIn(options: Partial<CompanionOptions> = {}) {
  const all = setUp(options)
  await patiently(all.companion.auth.signIn(credentials))
  return all
}

const refreshKeys = (sent: Sent[]) => sent.map(({ headers }) => headers.get('idempotency-key'))

describe('a session', () => {
  test('is saved before sign-in resolves, and its access token sent', async () => {
    const { companion, kept, service } = await signedIn()
    expect(kept()).toMatchObject({ access_token: 'access-1', refresh_token: 'refresh-1', root_user_id: 7 })
    expect(await patiently(companion.account.me())).toEqual(me)
    expect(service.to('account.me')[0]?.headers.get('authorization')).toBe('Bearer access-1')
    expect(service.to('auth.signIn')[0]?.headers.get('authorization')).toBeNull()
  })

  test('survives a restart of the app', async () => {
    const { open } = await signedIn()
    const restarted = open()
    expect(await patiently(restarted.session.isSignedIn())).toBe(true)
    const session = await patiently(restarted.session.current())
    expect(session?.root_user_id).toBe(7)
    expect((Number(session?.expires_at) - Date.now()) / 1_209_600_000).toBeCloseTo(1)
    expect(await patiently(restarted.account.me())).toEqual(me)
  })

  test('is one for each service', async () => {
    const { open } = await signedIn()
    expect(await patiently(open({ baseUrl: 'https://companion.test/' }).session.isSignedIn())).toBe(true)
    expect(await patiently(open({ baseUrl: 'https://other.test' }).session.isSignedIn())).toBe(false)
    expect(await patiently(open({ baseUrl: 'https://companion_test' }).session.isSignedIn())).toBe(false)
  })

  test('ends by sign-out without network', async () => {
    const { companion, service, storage, reasons } = await signedIn()
    service.instead = cut
    await patiently(companion.session.signOut())
    expect(storage.items.size).toBe(0)
    expect(reasons).toEqual(['signed_out'])
    expect(await patiently(companion.session.current())).toBeUndefined()
    await patiently(companion.session.signOut())
    expect(reasons).toEqual(['signed_out'])
  })

  test('is needed by account operations, which are not sent without one', async () => {
    const { companion, service, reasons } = setUp()
    const error = await failureOf(companion.account.me())
    expect(isSignedOut(error)).toBe(true)
    expect(isOffline(error)).toBe(false)
    expect(error).toMatchObject({ data: { status: 401, detail: 'Could not validate credentials' } })
    expect(service.sent).toEqual([])
    expect(reasons).toEqual([])
  })

  test('ends when its account is deleted by the app', async () => {
    const { companion, reasons, storage } = await signedIn()
    await patiently(companion.account.delete())
    expect(reasons).toEqual(['deleted'])
    expect(storage.items.size).toBe(0)
  })

  test.each(['', '{', 'null', '[]', '{"version":1}', '{"version":1,"login":7}', '"text"', '\u0000'])(
    'that was corrupted to %j is none',
    async (corrupted) => {
      const { open, storage, reasons } = await signedIn()
      for (const key of storage.items.keys()) storage.items.set(key, corrupted)
      const companion = open()
      expect(await patiently(companion.session.current())).toBeUndefined()
      expect(isSignedOut(await failureOf(companion.account.me()))).toBe(true)
      await patiently(companion.auth.signIn(credentials))
      expect(await patiently(companion.account.me())).toEqual(me)
      expect(reasons).toEqual([])
    },
  )
})

describe('an expired access token', () => {
  test.each([
    ['the clock', () => void vi.setSystemTime(Date.now() + FIFTEEN_MINUTES), 200],
    ['the service', (service: { expireAccess: () => void }) => service.expireAccess(), 400],
  ])('by %s costs one refresh for 200 calls', async (_how, expire, calls) => {
    const { companion, service } = await signedIn()
    expire(service)
    const responses = await patiently(Promise.all(Array.from({ length: 200 }, () => companion.account.me())))
    expect(responses).toEqual(Array.from({ length: 200 }, () => me))
    expect(service.to('auth.refresh')).toHaveLength(1)
    expect(service.to('account.me')).toHaveLength(calls)
    expect(refreshKeys(service.to('auth.refresh'))[0]).toMatch(/^[0-9a-f]{32}$/)
  })

  test('without network costs 200 calls no more than the three attempts of one refresh', async () => {
    const { companion, service } = await signedIn()
    vi.setSystemTime(Date.now() + FIFTEEN_MINUTES)
    service.instead = cut
    const errors = await patiently(
      Promise.all(Array.from({ length: 200 }, () => failureOf(companion.account.me()))),
    )
    expect(errors.every(isOffline)).toBe(true)
    expect(service.sent.map(({ path }) => path)).toEqual([
      'auth.signIn',
      'auth.refresh',
      'auth.refresh',
      'auth.refresh',
    ])
  })

  test('is renewed half a minute early', async () => {
    const { companion, service } = await signedIn()
    vi.setSystemTime(Date.now() + FIFTEEN_MINUTES - 31_000)
    await patiently(companion.account.me())
    expect(service.to('auth.refresh')).toHaveLength(0)
    vi.setSystemTime(Date.now() + 1000)
    await patiently(companion.account.me())
    expect(service.to('auth.refresh')).toHaveLength(1)
  })

  test('is refreshed with a new key each time', async () => {
    const { companion, service } = await signedIn()
    for (let n = 0; n < 3; n++) {
      service.expireAccess()
      await patiently(companion.account.me())
    }
    expect(new Set(refreshKeys(service.to('auth.refresh'))).size).toBe(3)
  })

  test('lets nobody go on before the new pair is saved', async () => {
    const { companion, service, kept } = await signedIn()
    vi.setSystemTime(Date.now() + FIFTEEN_MINUTES)
    const saved: unknown[] = []
    service.instead = ({ path }) => {
      if (path === 'account.me') saved.push(kept().access_token)
      return undefined
    }
    await patiently(Promise.all([companion.account.me(), companion.account.me()]))
    expect(saved).toEqual(['access-2', 'access-2'])
    expect(refreshKeys(service.to('auth.refresh'))).not.toContain(kept().refresh_key)
  })

  test('is refreshed only after the key has been saved', async () => {
    const { companion, service, kept } = await signedIn()
    service.expireAccess()
    let saved: unknown
    service.instead = ({ path }) => {
      if (path === 'auth.refresh') saved = kept().refresh_key
      return undefined
    }
    await patiently(companion.account.me())
    expect(refreshKeys(service.to('auth.refresh'))).toEqual([saved])
  })

  test('of a life of seconds does not cause a refresh for every call', async () => {
    const { companion, service } = setUp()
    service.lifetime = 10
    await patiently(companion.auth.signIn(credentials))
    await patiently(companion.account.me())
    expect(service.to('auth.refresh')).toHaveLength(0)
  })
})

describe('a lost response to a refresh', () => {
  test('is asked for again with the same key', async () => {
    const { companion, service, reasons } = await signedIn()
    service.expireAccess()
    let lost = 0
    service.onReturn = ({ path }, response) => (path === 'auth.refresh' && lost++ < 2 ? cut() : response)
    expect(await patiently(companion.account.me())).toEqual(me)
    expect(service.to('auth.refresh')).toHaveLength(3)
    expect(new Set(refreshKeys(service.to('auth.refresh'))).size).toBe(1)
    expect(reasons).toEqual([])
  })

  test('is asked for again by the next start of the app', async () => {
    const { companion, open, service, reasons, kept } = await signedIn()
    service.expireAccess()
    service.onReturn = ({ path }, response) => (path === 'auth.refresh' ? cut() : response)
    expect(isOffline(await failureOf(companion.account.me()))).toBe(true)
    service.onReturn = (_request, response) => response
    expect(await patiently(open().account.me())).toEqual(me)
    const keys = refreshKeys(service.to('auth.refresh'))
    expect(keys).toHaveLength(4)
    expect(new Set(keys).size).toBe(1)
    expect(kept()).toMatchObject({ access_token: 'access-2' })
    expect(reasons).toEqual([])
  })

  test('that was cut in its middle is lost too', async () => {
    const { companion, service } = await signedIn()
    service.expireAccess()
    let cuts = 0
    service.onReturn = async ({ path }, response) => {
      if (path !== 'auth.refresh' || cuts++ > 0) return response
      return new Response((await response.text()).slice(0, 40))
    }
    expect(await patiently(companion.account.me())).toEqual(me)
    expect(new Set(refreshKeys(service.to('auth.refresh'))).size).toBe(1)
  })

  test.each([
    ['1', 3, true],
    ['2', 3, true],
    ['3', 1, false],
  ])('that asks to wait %s seconds is sent for %i times', async (seconds, attempts, isCured) => {
    const { companion, service, reasons } = await signedIn()
    service.expireAccess()
    const times: number[] = []
    service.instead = ({ path }) => {
      if (path !== 'auth.refresh') return undefined
      times.push(Date.now())
      return times.length < 3 ? refuse(429, 'Too many requests', { 'retry-after': seconds }) : undefined
    }
    const response = await patiently(companion.account.me().catch(errorResponseOf))
    expect(response).toEqual(isCured ? me : { status: 429, detail: 'Too many requests' })
    expect(times).toHaveLength(attempts)
    for (const [n, time] of times.slice(1).entries())
      expect(time - (times[n] ?? 0)).toBeGreaterThanOrEqual(Number(seconds) * 1000)
    expect(reasons).toEqual([])
  })

  test.each([30_000, 4000])(
    'that takes 8 seconds is waited for, however long a call may take (%d ms)',
    async (timeout) => {
      const { companion, service, reasons } = await signedIn({ timeout })
      service.expireAccess()
      service.onReturn = async ({ path }, response) => {
        if (path === 'auth.refresh') await new Promise((resolve) => setTimeout(resolve, 8000))
        return response
      }
      const [reply] = await patiently(safe(companion.account.me()))
      expect(reply).toEqual(timeout > 8000 ? me : undefined)
      await vi.advanceTimersByTimeAsync(10_000)
      expect(await patiently(companion.account.me())).toEqual(me)
      expect(new Set(refreshKeys(service.to('auth.refresh'))).size).toBe(1)
      expect(reasons).toEqual([])
    },
  )

  test('on a connection that went dead is had by another', async () => {
    const { companion, service, reasons } = await signedIn()
    service.expireAccess()
    service.onReturn = ({ path }, response) =>
      path === 'auth.refresh' && service.to(path).length === 1 ? new Promise<Response>(() => {}) : response
    const started = Date.now()
    expect(await patiently(companion.account.me())).toEqual(me)
    expect(Date.now() - started).toBeLessThan(8000)
    expect(reasons).toEqual([])
  })

  test.each([
    ['500', () => refuse(500, 'Internal server error. Please try again later.')],
    ['429', () => refuse(429, 'Too many requests', { 'retry-after': '30' })],
  ])('is taken even if an earlier try is answered with %s before it', async (_status, respondLate) => {
    const { companion, service, reasons } = await signedIn()
    service.expireAccess()
    service.instead = async ({ path }) => {
      if (path !== 'auth.refresh' || service.to(path).length > 1) return undefined
      await new Promise((resolve) => setTimeout(resolve, 8500))
      return respondLate()
    }
    service.onReturn = async ({ path }, response) => {
      if (path === 'auth.refresh' && response.ok) await new Promise((resolve) => setTimeout(resolve, 2000))
      return response
    }
    expect(await patiently(companion.account.me())).toEqual(me)
    expect(service.to('auth.refresh')).toHaveLength(2)
    expect(reasons).toEqual([])
  })

  test('is waited for by no sign-in when its login is over', async () => {
    const { companion, service } = await signedIn()
    service.expireAccess()
    service.instead = ({ path }) => (path === 'auth.refresh' ? new Promise<Response>(() => {}) : undefined)
    const call = failureOf(companion.account.me())
    await vi.advanceTimersByTimeAsync(1000)
    await patiently(companion.session.signOut())
    const started = Date.now()
    await patiently(companion.auth.signIn(credentials))
    expect(Date.now() - started).toBeLessThan(1000)
    expect(isSignedOut(await call)).toBe(true)
  })

  test('that is refused after the phone was asleep is no duplicate login', async () => {
    const { companion, service, reasons } = await signedIn()
    service.expireAccess()
    service.instead = async ({ path }) => {
      if (path !== 'auth.refresh') return undefined
      vi.setSystemTime(Date.now() + 600_000)
      return refuse(401, 'Refresh token is not valid')
    }
    expect(isSignedOut(await failureOf(companion.account.me()))).toBe(true)
    expect(reasons).toEqual(['invalid'])
  })

  test.each([
    [50_000, 'duplicate_login'],
    [70_000, 'invalid'],
  ])('that the service does not repeat after %d ms ends the session as %s', async (age, reason) => {
    const { companion, open, service, reasons } = await signedIn()
    service.expireAccess()
    service.instead = ({ path }) => (path === 'auth.refresh' ? cut() : undefined)
    expect(isOffline(await failureOf(companion.account.me()))).toBe(true)
    await vi.advanceTimersByTimeAsync(age)
    service.instead = ({ path }) =>
      path === 'auth.refresh' ? refuse(401, 'Refresh token is not valid') : undefined
    expect(isSignedOut(await failureOf(open().account.me()))).toBe(true)
    expect(reasons).toEqual([reason])
  })

  test('by a storage that fails is not sent for again', async () => {
    const { companion, service, storage, reasons } = await signedIn()
    service.expireAccess()
    const { setItem } = storage
    storage.setItem = async (key, value) => {
      if (value.includes('access-2')) throw new Error('disk full')
      await setItem(key, value)
    }
    const error = await failureOf(companion.account.me())
    expect(isStorageFailure(error)).toBe(true)
    expect(isSignedOut(error) || isOffline(error)).toBe(false)
    vi.setSystemTime(Date.now() + 10 * FIFTEEN_MINUTES)
    expect(isStorageFailure(await failureOf(companion.account.me()))).toBe(true)
    storage.setItem = setItem
    service.oldestValid = 1
    expect(await patiently(companion.account.me())).toEqual(me)
    expect(service.to('auth.refresh')).toHaveLength(1)
    expect(reasons).toEqual([])
  })
})

describe('the session stays', () => {
  test.each([
    ['the network fails', cut],
    ['a proxy answers', () => new Response('<h1>Sign in to the hotel</h1>', { status: 200 })],
    ['a gateway answers', () => new Response('Bad Gateway', { status: 502 })],
    ['something else answers JSON', () => Response.json({ status: 'ok' })],
    ['something else answers a result', () => Response.json({ result: {} })],
    [
      'a gateway answers JSON',
      () => Response.json({ error: { code: 502, message: 'Bad' } }, { status: 502 }),
    ],
    ['a proxy answers JSON', () => Response.json({ error: 'login_required' }, { status: 407 })],
  ])('when %s', async (_what, instead) => {
    const { companion, service, reasons } = await signedIn()
    service.instead = instead
    expect(isOffline(await failureOf(companion.account.me()))).toBe(true)
    vi.setSystemTime(Date.now() + FIFTEEN_MINUTES)
    expect(isOffline(await failureOf(companion.account.me()))).toBe(true)
    service.instead = () => undefined
    expect(await patiently(companion.account.me())).toEqual(me)
    expect(reasons).toEqual([])
  })

  test.each([
    [500, 'Internal server error. Please try again later.'],
    [429, 'Too many requests'],
    [422, 'invalid'],
    [403, 'Could not validate credentials'],
  ])('when a refresh is refused with %i', async (status, detail) => {
    const { companion, service, reasons } = await signedIn()
    service.expireAccess()
    service.instead = ({ path }) => (path === 'auth.refresh' ? refuse(status, detail) : undefined)
    const error = await failureOf(companion.account.me())
    expect(error).toMatchObject({ data: { status, detail } })
    expect(isSignedOut(error)).toBe(false)
    service.instead = () => undefined
    expect(await patiently(companion.account.me())).toEqual(me)
    expect(new Set(refreshKeys(service.to('auth.refresh'))).size).toBe(1)
    expect(reasons).toEqual([])
  })

  test.each([
    [401, 'Not authorized user'],
    [401, 'Token is expired'],
    [404, 'Real user is not found'],
    [500, 'Internal server error. Please try again later.'],
  ])('when an operation is refused with %i %s', async (status, detail) => {
    const { companion, service, reasons } = await signedIn()
    service.instead = ({ path }) => (path === 'children.read' ? refuse(status, detail) : undefined)
    const error = await failureOf(companion.children.read({ real_user_id: 1 }))
    expect(error).toMatchObject({ data: { status, detail } })
    expect(isSignedOut(error)).toBe(false)
    expect(reasons).toEqual([])
  })

  test('when a refresh cures a token that is not accepted', async () => {
    const { companion, service, reasons } = await signedIn()
    service.instead = ({ headers }) =>
      headers.get('authorization') === 'Bearer access-1'
        ? refuse(401, 'Could not validate credentials')
        : undefined
    expect(await patiently(companion.account.me())).toEqual(me)
    expect(reasons).toEqual([])
  })
})

describe('the session ends, once,', () => {
  test.each([
    ['Refresh token is not valid', 'duplicate_login'],
    ['Token is expired', 'expired'],
    ['Could not validate credentials', 'invalid'],
  ])('when a refresh is refused with 401 %s', async (detail, reason) => {
    const { companion, service, reasons, storage } = await signedIn()
    service.expireAccess()
    service.instead = ({ path }) => (path === 'auth.refresh' ? refuse(401, detail) : undefined)
    const errors = await patiently(Promise.all([1, 2, 3].map(() => failureOf(companion.account.me()))))
    expect(errors.map(isSignedOut)).toEqual([true, true, true])
    expect(errors).toMatchObject([1, 2, 3].map(() => ({ meta: { signedOut: reason } })))
    expect(reasons).toEqual([reason])
    expect(storage.items.size).toBe(0)
    expect(service.to('auth.refresh')).toHaveLength(1)
    expect(isSignedOut(await failureOf(companion.account.me()))).toBe(true)
    expect(reasons).toEqual([reason])
  })

  test.each([
    [401, 'User is None', 'deleted'],
    [401, 'User is Deleted', 'deleted'],
    [423, 'Access denied. Account blocked', 'blocked'],
    [401, 'Could not validate credentials', 'invalid'],
  ])('when an operation is refused with %i %s', async (status, detail, reason) => {
    const { companion, service, reasons, storage } = await signedIn()
    service.instead = ({ path }) => (path === 'auth.refresh' ? undefined : refuse(status, detail))
    const errors = await patiently(Promise.all([1, 2, 3].map(() => failureOf(companion.account.me()))))
    expect(errors.map(isSignedOut)).toEqual([true, true, true])
    expect(errors[0]).toMatchObject({ data: { status, detail } })
    expect(reasons).toEqual([reason])
    expect(storage.items.size).toBe(0)
  })

  test('when another phone has signed in', async () => {
    const { companion, open, reasons, service } = await signedIn()
    await patiently(open({ storage: slowStorage() }).auth.signIn(credentials))
    service.oldestValid = 2
    expect(isSignedOut(await failureOf(companion.account.me()))).toBe(true)
    expect(reasons).toEqual(['duplicate_login'])
  })
})

describe('a changed password', () => {
  const change = { current_password: 'old', new_password: 'correct horse battery' }

  /** The service's rule: the response is a new pair, and everything older is worthless. */
  async function changing() {
    const all = await signedIn()
    let valid = 'Bearer access-1'
    all.service.instead = ({ path, headers }) => {
      if (path.startsWith('auth.')) return undefined
      if (headers.get('authorization') !== valid) return refuse(401, 'Could not validate credentials')
      if (path !== 'account.changePassword') return undefined
      valid = 'Bearer access-2'
      return answer(all.service.issue())
    }
    return all
  }

  test('goes on with the new tokens, saved before the call resolves', async () => {
    const { companion, kept, reasons, service } = await changing()
    await patiently(companion.account.changePassword(change))
    expect(kept()).toMatchObject({ access_token: 'access-2', root_user_id: 7 })
    expect(await patiently(companion.account.me())).toEqual(me)
    expect(service.to('auth.refresh')).toHaveLength(0)
    expect(reasons).toEqual([])
  })

  test('takes calls along that were on their way', async () => {
    const { companion, reasons, service } = await changing()
    const calls = [companion.account.changePassword(change), ...[1, 2, 3].map(() => companion.account.me())]
    const [, ...responses] = await patiently(Promise.all<unknown>(calls))
    expect(responses).toEqual([me, me, me])
    expect(service.to('auth.refresh')).toHaveLength(0)
    expect(reasons).toEqual([])
  })

  test('that needs a refresh first waits for it', async () => {
    const { companion, kept, service } = await signedIn()
    service.expireAccess()
    service.instead = ({ path, headers }) =>
      path === 'account.changePassword' && headers.get('authorization') === 'Bearer access-2'
        ? answer(service.issue())
        : undefined
    await patiently(companion.account.changePassword(change))
    expect(kept()).toMatchObject({ access_token: 'access-3' })
  })
})

test('a sign-out at the service ends the session here too, and only if it was reached', async () => {
  const { companion, reasons, service } = await signedIn()
  service.instead = cut
  expect(isOffline(await failureOf(companion.auth.signOut()))).toBe(true)
  expect(await patiently(companion.session.isSignedIn())).toBe(true)
  service.instead = () => undefined
  await patiently(companion.auth.signOut())
  expect(reasons).toEqual(['signed_out'])
  expect(await patiently(companion.session.isSignedIn())).toBe(false)
})

describe('a listener', () => {
  test('may call the client', async () => {
    const done: unknown[] = []
    const { companion, service } = await signedIn({
      onSignedOut: async () => {
        done.push(await companion.session.isSignedIn())
        await companion.auth.signIn(credentials)
        done.push(await companion.account.me())
      },
    })
    service.expireAccess()
    let refused = false
    service.instead = ({ path }) => {
      if (path !== 'auth.refresh' || refused) return undefined
      refused = true
      return refuse(401, 'Token is expired')
    }
    expect(isSignedOut(await failureOf(companion.account.me()))).toBe(true)
    await patiently(companion.account.me())
    await vi.advanceTimersByTimeAsync(100)
    expect(done).toEqual([false, me])
  })

  test('that never finishes holds nobody up', async () => {
    const { companion } = await signedIn({ onSignedOut: () => new Promise(() => {}) })
    await patiently(companion.session.signOut())
    await patiently(companion.auth.signIn(credentials))
    expect(await patiently(companion.account.me())).toEqual(me)
  })
})

describe('while a refresh is in flight', () => {
  /** Holds refreshes back at the service until released. */
  async function refreshing(respond = (response: Response) => response) {
    const all = await signedIn()
    all.service.expireAccess()
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    all.service.onReturn = async ({ path }, response) => {
      if (path !== 'auth.refresh') return response
      await gate
      return respond(response)
    }
    const call = safe(all.companion.account.me())
    await vi.advanceTimersByTimeAsync(100)
    expect(all.service.to('auth.refresh')).toHaveLength(1)
    return { ...all, call, release }
  }

  test('a sign-out is not undone by its response', async () => {
    const { companion, call, release, reasons, storage } = await refreshing()
    await patiently(companion.session.signOut())
    expect(reasons).toEqual(['signed_out'])
    release()
    const [, error] = await patiently(call)
    expect(isSignedOut(error)).toBe(true)
    expect(storage.items.size).toBe(0)
    expect(reasons).toEqual(['signed_out'])
  })

  test('two sign-ins are not undone by its response, and do not overtake it', async () => {
    const { companion, call, release, reasons, kept, service } = await refreshing()
    const both = Promise.all([companion.auth.signIn(credentials), companion.auth.signIn(credentials)])
    await vi.advanceTimersByTimeAsync(100)
    expect(service.to('auth.signIn')).toHaveLength(1)
    release()
    const [, latest] = await patiently(both)
    await patiently(call)
    expect(kept()).toMatchObject({ access_token: latest.access_token })
    expect(latest.access_token).toBe('access-4')
    expect(await patiently(companion.account.me())).toEqual(me)
    expect(reasons).toEqual([])
  })

  test.each([
    ['is not undone', 7, (response: Response) => response, true],
    ['is not undone though it refuses', 7, () => refuse(401, 'Refresh token is not valid'), true],
    ['to another account is not undone', 8, (response: Response) => response, false],
  ])('a sign-in of another instance %s by its response', async (_how, id, respond, goesOn) => {
    const { call, release, companion, open, storage, service, reasons } = await refreshing(respond)
    service.account = id
    await patiently(open().auth.signIn(credentials))
    const saved = [...storage.items.values()]
    release()
    const [, error] = await patiently(call)
    expect([...storage.items.values()]).toEqual(saved)
    expect(isSignedOut(error)).toBe(!goesOn)
    expect(await patiently(companion.account.me())).toEqual(me)
    expect(reasons).toEqual([])
  })

  test('a call waits no longer than it may', async () => {
    const { companion, release } = await refreshing()
    const started = Date.now()
    const error = await failureOf(companion.account.me({ timeout: 1000 }))
    expect(isOffline(error)).toBe(true)
    expect(Date.now() - started).toBeLessThan(1100)
    release()
    expect(await patiently(companion.account.me())).toEqual(me)
  })

  test("no call is sent in another account's name", async () => {
    const { companion, call, release, service } = await refreshing()
    const signIn = companion.auth.signIn(credentials)
    service.account = 8
    await patiently(companion.session.signOut())
    release()
    await patiently(signIn)
    const [, error] = await patiently(call)
    expect(isSignedOut(error)).toBe(true)
    expect(service.to('account.me')).toHaveLength(1)
  })
})

test("a call that waits while another account signs in is not sent in that account's name", async () => {
  const { companion, service, kept, reasons } = await signedIn()
  vi.setSystemTime(Date.now() + FIFTEEN_MINUTES)
  service.account = 8
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  service.onReturn = async (_request, response) => {
    await gate
    return response
  }
  const signIn = companion.auth.signIn(credentials)
  const call = failureOf(companion.account.delete())
  await vi.advanceTimersByTimeAsync(100)
  release()
  await patiently(signIn)
  expect(isSignedOut(await call)).toBe(true)
  expect(service.sent.map(({ path }) => path)).toEqual(['auth.signIn', 'auth.signIn'])
  expect(kept()).toMatchObject({ root_user_id: 8 })
  expect(reasons).toEqual([])
})

describe('two instances over one storage', () => {
  test('go on when the clock is put back between their refreshes', async () => {
    const { companion, open, service, reasons } = await signedIn()
    const other = open()
    await patiently(other.account.me())
    vi.setSystemTime(Date.now() - 3_600_000)
    service.expireAccess()
    await patiently(companion.account.me())
    expect(await patiently(other.account.me())).toEqual(me)
    expect(await patiently(companion.account.me())).toEqual(me)
    expect(reasons).toEqual([])
  })

  test('use what the other has refreshed', async () => {
    const { companion, open, service, reasons } = await signedIn()
    const other = open()
    await patiently(other.account.me())
    service.expireAccess()
    await patiently(companion.account.me())
    expect(await patiently(other.account.me())).toEqual(me)
    expect(service.to('auth.refresh')).toHaveLength(1)
    expect(reasons).toEqual([])
  })
})

describe('a call', () => {
  const endless = () => new Promise<Response>(() => {})

  test('is without network when fetch throws at once', async () => {
    const fetch = () => {
      throw new TypeError('Network request failed')
    }
    const { companion } = setUp({ fetch })
    expect(isOffline(await failureOf(companion.auth.signIn(credentials)))).toBe(true)
    const file = { unique_id: 'a', start_date: '2026-03-01', end_date: '2026-03-02' }
    expect(isOffline(await failureOf(companion.devlogs.export(file)))).toBe(true)
  })

  test.each([
    ['sign-in', ({ auth }: Companion) => auth.signIn(credentials)],
    [
      'change of the password',
      ({ account }: Companion) => account.changePassword({ current_password: 'a', new_password: 'b' }),
    ],
  ])('is not held up by a %s that never ends', async (_what, never) => {
    const { companion, service } = await signedIn({ timeout: 5000 })
    service.instead = endless
    expect(isOffline(await failureOf(never(companion)))).toBe(true)
    service.instead = () => undefined
    service.expireAccess()
    expect(await patiently(companion.account.me())).toEqual(me)
    expect(await patiently(companion.auth.signIn(credentials))).toMatchObject({ id: 7 })
  })

  test('ends in time even if fetch does not', async () => {
    const { companion, service } = await signedIn({ timeout: 5000 })
    service.instead = endless
    const started = Date.now()
    expect(isOffline(await failureOf(companion.account.me()))).toBe(true)
    expect(Date.now() - started).toBeLessThan(5100)
  })

  test('that needs a refresh ends in time too, and the session stays', async () => {
    const { companion, service, reasons } = await signedIn()
    service.expireAccess()
    service.instead = ({ path }) => (path === 'auth.refresh' ? endless() : undefined)
    const started = Date.now()
    expect(isOffline(await failureOf(companion.account.me()))).toBe(true)
    expect(Date.now() - started).toBeLessThan(30_100)
    expect(reasons).toEqual([])
  })

  test('can be aborted', async () => {
    const { companion, service } = await signedIn()
    service.instead = endless
    const controller = new AbortController()
    const call = failureOf(companion.account.me({ signal: controller.signal }))
    await vi.advanceTimersByTimeAsync(100)
    controller.abort()
    const error = await call
    expect(error).toMatchObject({ cause: { name: 'AbortError' } })
    expect(isOffline(error)).toBe(false)
    expect(isSignedOut(error)).toBe(false)
    expect(await failureOf(companion.account.me({ signal: controller.signal }))).toMatchObject({
      cause: { name: 'AbortError' },
    })
  })

  test('carries what it must and no more', async () => {
    const { companion, service } = setUp()
    const profile = {
      email: 'parent@example.com',
      password: 'correct horse battery',
      first_name: 'Kim',
      last_name: '',
      birthdate: '19850401',
      gender: 'F',
      phone: '+821012345678',
      register_type: 'E',
      is_push_agree: false,
      is_marketing_agree: false,
      national_code: 'KR',
    } as const
    await patiently(companion.auth.signUp({ valid_token: 'valid', ...profile }))
    expect(await patiently(companion.session.isSignedIn())).toBe(true)
    const [signUp] = service.to('auth.signUp')
    expect(signUp?.headers.get('authorization')).toBe('Bearer valid')
    expect(signUp?.input).toEqual(profile)

    await patiently(companion.devlogs.upload([], { lenient: true }))
    await patiently(companion.devlogs.upload([]))
    const [lenient, strict] = service.to('devlogs.upload')
    expect(lenient?.headers.get('prefer')).toBe('handling=lenient')
    expect(lenient?.input).toEqual({ items: [] })
    expect(strict?.headers.has('prefer')).toBe(false)
    expect(strict?.headers.has('authorization')).toBe(false)
  })

  test('of the raw client to refresh is refused', async () => {
    const { companion, service } = await signedIn()
    await failureOf(companion.trpc.auth.refresh.mutate({ refresh_token: 'refresh-1' }))
    expect(service.to('auth.refresh')).toHaveLength(0)
  })

  test('of the raw client signs in, too', async () => {
    const { companion } = setUp()
    await patiently(companion.trpc.auth.signIn.mutate(credentials))
    expect(await patiently(companion.trpc.account.me.query({}))).toEqual(me)
  })
})

describe('a storage that fails', () => {
  test('to read fails the call, and is tried again by the next', async () => {
    const { open, storage, reasons } = await signedIn()
    const { getItem } = storage
    storage.getItem = async () => {
      throw new Error('locked')
    }
    const companion = open()
    const error = await failureOf(companion.account.me())
    expect(isStorageFailure(error)).toBe(true)
    expect(error).toMatchObject({ cause: { cause: { message: 'locked' } } })
    expect(isStorageFailure(await failureOf(companion.session.current()))).toBe(true)
    storage.getItem = getItem
    expect(await patiently(companion.account.me())).toEqual(me)
    expect(reasons).toEqual([])
  })

  test('that has swallowed its newest state does not bring back the one before', async () => {
    const { companion, service, storage, reasons } = await signedIn()
    const { setItem } = storage
    service.expireAccess()
    storage.setItem = async (key, value) => {
      if (!value.includes('access-2')) await setItem(key, value)
    }
    expect(await patiently(companion.account.me())).toEqual(me)
    storage.setItem = setItem
    service.expireAccess()
    expect(await patiently(companion.account.me())).toEqual(me)
    expect(reasons).toEqual([])
  })

  test('that has swallowed the key of a refresh does not make it forget the key', async () => {
    const { companion, service, storage, reasons } = await signedIn()
    const { setItem } = storage
    service.expireAccess()
    storage.setItem = async () => {}
    service.onReturn = ({ path }, response) => (path === 'auth.refresh' ? cut() : response)
    expect(isOffline(await failureOf(companion.account.me()))).toBe(true)
    storage.setItem = setItem
    service.onReturn = (_request, response) => response
    expect(await patiently(companion.account.me())).toEqual(me)
    expect(new Set(refreshKeys(service.to('auth.refresh'))).size).toBe(1)
    expect(reasons).toEqual([])
  })

  test('by hanging is waited for once, however many ask', async () => {
    const { companion } = setUp({
      timeout: 2000,
      storage: { ...slowStorage(), getItem: () => new Promise(() => {}) },
    })
    const started = Date.now()
    const asked = Array.from({ length: 10 }, () => failureOf(companion.session.isSignedIn()))
    expect((await Promise.all(asked)).map(isStorageFailure)).toEqual(asked.map(() => true))
    expect(Date.now() - started).toBeLessThan(2500)
  })

  test('to save fails the sign-in', async () => {
    const { companion, storage } = setUp()
    storage.setItem = async () => {
      throw new Error('disk full')
    }
    expect(isStorageFailure(await failureOf(companion.auth.signIn(credentials)))).toBe(true)
    expect(await patiently(companion.session.isSignedIn())).toBe(false)
  })

  test('to remove fails the sign-out, but nobody is signed in any more', async () => {
    const { companion, storage, reasons } = await signedIn()
    storage.removeItem = async () => {
      throw new Error('disk broken')
    }
    expect(isStorageFailure(await failureOf(companion.session.signOut()))).toBe(true)
    expect(await patiently(companion.session.isSignedIn())).toBe(false)
    expect(reasons).toEqual(['signed_out'])
  })

  test('to come back is not waited for without end', async () => {
    const { open } = await signedIn()
    const companion = open({
      storage: { ...slowStorage(), getItem: () => new Promise(() => {}) },
      timeout: 2000,
    })
    expect(isStorageFailure(await failureOf(companion.session.current()))).toBe(true)
  })
})

test.each(['companion.test', '/api', 'ftp://companion.test', 'https://companion.test?x=1', ''])(
  'the address %j is refused',
  (baseUrl) => {
    expect(() => createCompanion({ baseUrl })).toThrow(TypeError)
  },
)

test.each([0, -1, Number.NaN, Infinity])('the timeout %d is refused', (timeout) => {
  expect(() => createCompanion({ baseUrl: 'https://companion.test', timeout })).toThrow(RangeError)
})

test.each([0, -1, Number.NaN, Infinity])(
  'a call with the timeout %d is not sent, and not taken for one without network',
  async (timeout) => {
    const { companion, service } = await signedIn()
    const calls = [
      () => companion.account.me({ timeout }),
      () => companion.calendar.saveEvent({ real_user_id: 1, created_at: '2026-03-01' }, { timeout }),
      () => companion.trpc.account.me.query({}, { context: { timeout } }),
    ]
    for (const call of calls) {
      const error = await failureOf(call())
      expect(error).toMatchObject({ cause: { name: 'RangeError' } })
      expect(isOffline(error)).toBe(false)
    }
    expect(service.sent.map(({ path }) => path)).toEqual(['auth.signIn'])
  },
)

test('safe takes what is no operation too, and any thrown thing', async () => {
  const { companion } = setUp()
  expect(await patiently(safe(companion.session.current()))).toEqual([undefined, undefined])
  const [, error] = await patiently(safe(companion.outbox.list()))
  expect(isSignedOut(error)).toBe(true)
  const [, thrown] = await safe(Promise.reject('no error')) // oxlint-disable-line prefer-promise-reject-errors
  expect(thrown).toEqual(new Error('no error'))
})
