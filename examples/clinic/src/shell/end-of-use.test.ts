import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { noteSignOut, startSession } from './end-of-use'

const KEY = 'clinic.used-at'
const items = new Map<string, string>()

beforeEach(() => {
  vi.useFakeTimers({ now: 100_000_000 })
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  items.clear()
})

test('a session is in use before it is there', async () => {
  items.set(KEY, '1000')
  const seen: unknown[] = []
  await startSession(async () => seen.push(items.get(KEY)))
  expect(seen).toEqual(['100000000'])
  expect(items.get(KEY)).toBe('100000000')
})

test('a sign-up that fails leaves an idle session idle', async () => {
  items.set(KEY, '1000')
  await expect(startSession(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
  expect(items.get(KEY)).toBe('1000')
})

test('a sign-up that fails does not keep a session that is being signed out', async () => {
  items.set(KEY, '1000')
  noteSignOut()
  await expect(startSession(() => Promise.reject(new Error('refused')))).rejects.toThrow('refused')
  expect(items.has(KEY)).toBe(false)
})
