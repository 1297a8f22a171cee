import type * as Sdk from '@companion/sdk'
import { expect, test, vi } from 'vitest'
import { queryClient } from './query-client'
import { sessionEnd } from './session-end'

const { listeners } = vi.hoisted(() => ({ listeners: [] as Sdk.SessionListener[] }))
vi.mock('@companion/sdk', async (original) => ({
  ...(await original<typeof Sdk>()),
  createCompanion: () => ({
    session: { subscribe: (listener: Sdk.SessionListener) => listeners.push(listener) },
  }),
}))

test('what one account has read goes when another tab begins the session of somebody else', async () => {
  vi.stubGlobal('location', { origin: 'http://localhost' })
  vi.stubGlobal('localStorage', {})
  await import('./client')
  const tell = (rootUserId: number) =>
    listeners.forEach((listener) => listener({ isSignedIn: true, rootUserId }))
  tell(1)
  for (const key of ['memberships', 'invitation']) queryClient.setQueryData([key], [])
  const session = sessionEnd()
  tell(1)
  expect(queryClient.getQueryData(['memberships'])).toEqual([])
  expect(session.aborted).toBe(false)
  tell(2)
  expect(queryClient.getQueryData(['memberships'])).toBeUndefined()
  expect(queryClient.getQueryData(['invitation'])).toEqual([])
  expect(session.aborted).toBe(true)
  vi.unstubAllGlobals()
})
