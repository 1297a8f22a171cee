import { afterEach, expect, expectTypeOf, test, vi } from 'vitest'
import { refuse, serviceInMemory } from '../testing/service-in-memory.ts'
import { createCompanion, isSignedOut, memoryStorage, safe } from './index.ts'
import type { Companion, TokenCompanion } from './index.ts'
import { createCompanion as createLight, CompanionError as LightError, safe as safely } from './token.ts'
import type { TokenCompanionWithoutTrpc } from './token.ts'

const baseUrl = 'https://companion.test'
const credentials = { username: 'parent@example.com', password: 'correct horse battery' }

test('a client with an access token sends it where one is needed, and nothing else', async () => {
  const service = serviceInMemory()
  const { access_token } = service.issue()
  const companion = createCompanion({ baseUrl, fetch: service.fetch, accessToken: access_token })
  expectTypeOf(companion).toEqualTypeOf<TokenCompanion>()
  await companion.account.me()
  await companion.trpc.account.me.query({})
  await companion.devlogs.upload([])
  expect(service.sent.map(({ path, headers }) => [path, headers.get('authorization')])).toEqual([
    ['account.me', 'Bearer access-1'],
    ['account.me', 'Bearer access-1'],
    ['devlogs.upload', null],
  ])
})

test.each([
  ['Token is expired', 401],
  ['Could not validate credentials', 401],
  ['Access denied. Account blocked', 423],
])('"%s" of its token is an error that isSignedOut knows, and nothing is renewed', async (detail, status) => {
  const service = serviceInMemory()
  service.instead = () => refuse(status, detail)
  const companion = createCompanion({ baseUrl, fetch: service.fetch, accessToken: 'access-1' })
  const [, error] = await safe(companion.account.me())
  expect(isSignedOut(error)).toBe(true)
  expect(error?.data).toMatchObject({ status, detail })
  expect(service.sent).toHaveLength(1)
})

test('nobody can sign in with it: the methods are not in its type, and refuse', async () => {
  const { fetch, sent } = serviceInMemory()
  const companion = createCompanion({ baseUrl, fetch, accessToken: 'access-1' })
  expectTypeOf<TokenCompanion>().not.toHaveProperty('session')
  expectTypeOf<TokenCompanion>().not.toHaveProperty('outbox')
  expectTypeOf<TokenCompanion['auth']>().not.toHaveProperty('signIn')
  expectTypeOf<TokenCompanion['auth']>().toHaveProperty('sendSmsCode')
  expect(companion).not.toHaveProperty('session')
  await expect(companion.trpc.auth.signIn.mutate(credentials)).rejects.toThrow('has no session to start')
  expect(sent).toEqual([])
})

afterEach(() => vi.unstubAllGlobals())

test('the light client is the same, but for the raw client of tRPC', async () => {
  const service = serviceInMemory()
  const { access_token } = service.issue()
  const options = { baseUrl, fetch: service.fetch, accessToken: async () => access_token }
  const light = createLight(options)
  expectTypeOf(light).toEqualTypeOf<TokenCompanionWithoutTrpc>()
  const { trpc: _raw, ...full } = createCompanion(options)
  const namesOf = (client: object) =>
    Object.entries(client).map(([module, methods]) => [module, Object.keys(methods)])
  expect(namesOf(light)).toEqual(namesOf(full))
  expect(await light.account.me()).toEqual(await full.account.me())
  service.instead = () => refuse(423, 'Access denied. Account blocked')
  const [, error] = await safely(light.account.me())
  expect(error).toBeInstanceOf(LightError)
  expect(isSignedOut(error)).toBe(true)
})

test('the light client gets files by fetch, wherever it runs', async () => {
  vi.stubGlobal('XMLHttpRequest', vi.fn())
  const asked: string[] = []
  vi.stubGlobal('fetch', async (url: string) => {
    asked.push(url)
    return new Response('%PDF-1.7', { headers: { 'content-type': 'application/pdf' } })
  })
  const light = createLight({ baseUrl, accessToken: 'access-1' })
  const period = { real_user_id: 1, current_date: '2026-03-01', select_mode: 0 } as const
  expect(await light.reports.exportPdf(period)).toMatchObject({ type: 'application/pdf', size: 8 })
  expect(asked).toEqual([expect.stringContaining(`${baseUrl}/api/v1/beta/pdf/export?real_user_id=1`)])
})

test('a client that two visitors of a server share refuses the second, and says why', async () => {
  for (const storage of [undefined, memoryStorage()]) {
    const { fetch, sent } = serviceInMemory()
    const shared = createCompanion({ baseUrl, fetch, storage })
    expectTypeOf(shared).toEqualTypeOf<Companion>()
    const outcomes = await Promise.allSettled([
      shared.auth.signIn(credentials),
      shared.auth.signIn({ ...credentials, username: 'other@example.com' }),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    await expect(shared.auth.signIn(credentials)).rejects.toThrow('make a client for each request')
    expect(sent).toHaveLength(1)
    await shared.session.signOut()
    await shared.auth.signIn(credentials)
  }
})

test('a client with a storage of its own may sign in again', async () => {
  const { fetch } = serviceInMemory()
  const storage = { ...memoryStorage() }
  const companion = createCompanion({ baseUrl, fetch, storage })
  await companion.auth.signIn(credentials)
  expect(await companion.auth.signIn(credentials)).toMatchObject({ access_token: 'access-2' })
})
