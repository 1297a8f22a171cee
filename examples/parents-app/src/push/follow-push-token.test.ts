import { expect, test, vi } from 'vitest'
import { followPushToken } from './follow-push-token'

/** A phone with this token, which can report others. */
function phoneWith(token: string | undefined) {
  const listeners = new Set<(token: string) => void>()
  return {
    granted: async () => token,
    whenTokenChanges: (listener: (token: string) => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    change: (to: string) => listeners.forEach((listener) => listener(to)),
  }
}

const settled = () => new Promise((resolve) => setTimeout(resolve))

test('a phone that allows push messages gets them again after the next sign-in', async () => {
  const store = vi.fn<(token: string) => Promise<void>>(async () => undefined)
  for (const token of ['first', undefined]) {
    followPushToken(phoneWith(token), store)
    await settled()
  }
  expect(store.mock.calls).toEqual([['first']])
})

test('each new token is stored once, and none after signing out', async () => {
  const store = vi.fn<(token: string) => Promise<void>>(async () => undefined)
  const phone = phoneWith('first')
  const stop = followPushToken(phone, store)
  await settled()
  for (const token of ['first', 'second', 'second']) phone.change(token)
  stop()
  phone.change('third')
  expect(store.mock.calls).toEqual([['first'], ['second']])
})

test('a token that arrives after signing out is not stored', async () => {
  const store = vi.fn<(token: string) => Promise<void>>(async () => undefined)
  followPushToken(phoneWith('first'), store)()
  await settled()
  expect(store).not.toHaveBeenCalled()
})

test('a token that was refused is offered again', async () => {
  const store = vi
    .fn<(token: string) => Promise<void>>()
    .mockRejectedValueOnce(new Error('no consent'))
    .mockResolvedValue(undefined)
  const phone = phoneWith('first')
  followPushToken(phone, store)
  await settled()
  phone.change('first')
  expect(store).toHaveBeenCalledTimes(2)
})
