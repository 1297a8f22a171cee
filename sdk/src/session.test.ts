import { afterEach, expect, test, vi } from 'vitest'
import { serviceInMemory, slowStorage } from '../testing/service-in-memory.ts'
import { createCompanion, isSignedOut } from './index.ts'
import type { CompanionStorage, SessionSnapshot } from './index.ts'

const baseUrl = 'https://companion.test'
const key = 'companion.session.https_3a__2f__2f_companion.test'
const credentials = { username: '', password: '' }

afterEach(() => void vi.unstubAllGlobals())

function open(storage?: CompanionStorage, service = serviceInMemory()) {
  const reasons: string[] = []
  const companion = createCompanion({
    baseUrl,
    fetch: service.fetch,
    storage,
    onSignedOut: (reason) => reasons.push(reason),
  })
  const seen: SessionSnapshot[] = []
  const unsubscribe = companion.session.subscribe((snapshot) => seen.push(snapshot))
  return { ...companion, service, reasons, seen, unsubscribe }
}

test('the snapshot is unknown, then nobody, then who has signed in, and the same object in between', async () => {
  const { auth, account, session, seen } = open(slowStorage())
  expect(session.snapshot()).toEqual({ isSignedIn: undefined, rootUserId: undefined })
  await session.current()
  expect(session.snapshot()).toEqual({ isSignedIn: false, rootUserId: undefined })
  await auth.signIn(credentials)
  const signedIn = session.snapshot()
  expect(signedIn).toEqual({ isSignedIn: true, rootUserId: 7 })
  await account.me()
  expect(session.snapshot()).toBe(signedIn)
  await session.signOut()
  expect(seen.map(({ isSignedIn }) => isSignedIn)).toEqual([false, true, false])
  expect(seen[1]).toBe(signedIn)
})

test('a refresh is no news', async () => {
  const { auth, account, seen, service } = open()
  await auth.signIn(credentials)
  service.expireAccess()
  await account.me()
  expect(service.to('auth.refresh')).toHaveLength(1)
  expect(seen.map(({ isSignedIn }) => isSignedIn)).toEqual([false, true])
})

test('a listener that throws stops nothing, and hears nothing once it has gone', async () => {
  const { auth, session, seen, unsubscribe } = open()
  const stop = session.subscribe(async () => {
    throw new Error('listener')
  })
  stop()
  await auth.signIn(credentials)
  unsubscribe()
  await session.signOut()
  expect(seen.map(({ isSignedIn }) => isSignedIn)).toEqual([false, true])
})

/** Tabs of a browser over one storage: what one writes, the others hear as events. */
function tabs() {
  const items = new Map<string, string>()
  const listeners: ((event: { key: string; newValue: string | null }) => void)[] = []
  vi.stubGlobal('document', {})
  const service = serviceInMemory()
  return {
    open() {
      const mine: typeof listeners = []
      vi.stubGlobal('addEventListener', (_type: string, listener: (typeof listeners)[number]) => {
        mine.push(listener)
        listeners.push(listener)
      })
      const tell = (changed: string, newValue: string | null) =>
        listeners.filter((each) => !mine.includes(each)).forEach((each) => each({ key: changed, newValue }))
      return open(
        {
          getItem: (name) => items.get(name),
          setItem: (name, value) => {
            items.set(name, value)
            tell(name, value)
          },
          removeItem: (name) => {
            items.delete(name)
            tell(name, null)
          },
        },
        service,
      )
    },
    items,
  }
}

test('a tab hears that somebody has signed in and out in another', async () => {
  const browser = tabs()
  const one = browser.open()
  const other = browser.open()
  expect(await other.session.isSignedIn()).toBe(false)
  await one.auth.signIn(credentials)
  await expect.poll(() => other.session.snapshot()).toEqual({ isSignedIn: true, rootUserId: 7 })
  expect(await other.account.me()).toMatchObject({ root_user_id: 7 })
  expect(browser.items.has(key)).toBe(true)

  await one.auth.signOut()
  await expect.poll(() => other.session.snapshot()).toEqual({ isSignedIn: false, rootUserId: undefined })
  expect(await other.session.isSignedIn()).toBe(false)
  expect(other.reasons).toEqual(['signed_out'])
  expect(one.reasons).toEqual(['signed_out'])
})

test('a keychain that answers nothing while the phone is locked signs nobody out', async () => {
  const service = serviceInMemory()
  const kept = slowStorage()
  await open(kept, service).auth.signIn(credentials)
  let isLocked = true
  const keychain = { ...kept, getItem: (name: string) => (isLocked ? null : kept.getItem(name)) }
  const { account, session, seen, reasons } = open(keychain, service)
  expect(isSignedOut(await account.me().catch((error: unknown) => error))).toBe(true)
  isLocked = false
  expect(await account.me()).toMatchObject({ root_user_id: 7 })
  expect(await session.isSignedIn()).toBe(true)
  expect(seen.map(({ isSignedIn }) => isSignedIn)).toEqual([false, true])
  expect(reasons).toEqual([])
})

test('a sign-out lasts, also over a storage that does not forget', async () => {
  const { auth, session } = open({ ...slowStorage(), removeItem: () => {} })
  await auth.signIn(credentials)
  await session.signOut()
  expect(await session.isSignedIn()).toBe(false)
})
