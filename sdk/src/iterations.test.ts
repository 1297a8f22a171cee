import { afterEach, expect, test, vi } from 'vitest'
import { createCompanion } from './index.ts'

afterEach(() => void vi.useRealTimers())

test('news end the pause of following', async () => {
  // No pause ends by itself.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let bell = Promise.withResolvers<void>()
  const ring = () => {
    bell.resolve()
    bell = Promise.withResolvers()
  }
  const stored: object[] = []
  const asked: (string | null)[] = []
  const isAsked = Promise.withResolvers<void>()
  const fetch = async (...sent: Parameters<typeof globalThis.fetch>) => {
    asked.push(new URL(new Request(...sent).url).searchParams.get('input'))
    isAsked.resolve()
    const items = stored.splice(0)
    return Response.json({ result: { data: { items, next: `c${asked.length}`, has_more: false } } })
  }
  const { changes } = createCompanion({ baseUrl: 'https://companion.test', accessToken: 'token', fetch })
  const following = changes.follow({ news: () => bell.promise })
  const first = following.next()
  await isAsked.promise
  stored.push({ kind: 'treatment.stored' })
  ring()
  expect(await first).toMatchObject({ value: { kind: 'treatment.stored' } })
  expect(asked).toEqual(['{}', '{"after":"c1"}'])
})

test('news that come while a page without changes is asked for are not missed', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let bell = Promise.withResolvers<void>()
  let calls = 0
  const fetch = async () => {
    calls += 1
    const items = calls === 1 ? [] : [{ kind: 'treatment.stored' }]
    bell.resolve()
    bell = Promise.withResolvers()
    return Response.json({ result: { data: { items, next: `c${calls}`, has_more: false } } })
  }
  const { changes } = createCompanion({ baseUrl: 'https://companion.test', accessToken: 'token', fetch })
  const following = changes.follow({ news: () => bell.promise })
  expect(await following.next()).toMatchObject({ value: { kind: 'treatment.stored' } })
})
