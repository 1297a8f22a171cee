import { TRPCClientError } from '@trpc/client'
import { expect, test } from 'vitest'
import { cut, refuse, serviceInMemory } from '../testing/service-in-memory.ts'
import { CompanionError, createCompanion, isOffline, isSignedOut, errorResponseOf, safe } from './index.ts'

function setUp(respond: () => Response) {
  const service = serviceInMemory()
  service.instead = respond
  return createCompanion({ baseUrl: 'https://companion.test', fetch: service.fetch, retries: 0 })
}
const credentials = { username: 'parent@example.com', password: 'wrong' }
const wrong = () => refuse(400, 'Password is invalid')

test('an error names operation, status and text, and is still what it was', async () => {
  const [, error] = await safe(setUp(wrong).auth.signIn(credentials))
  expect(error).toBeInstanceOf(CompanionError)
  expect(error).toBeInstanceOf(TRPCClientError)
  expect(error).toMatchObject({
    name: 'CompanionError',
    operation: 'auth.signIn',
    message: 'auth.signIn: 400 Password is invalid',
    data: { status: 400, detail: 'Password is invalid', requestId: 'request-1' },
    retryAfter: undefined,
  })
  expect(errorResponseOf(error)).toEqual({ status: 400, detail: 'Password is invalid' })
})

test('the stack of an error begins where the app has called, and each has its own', async () => {
  const companion = setUp(wrong)
  const myScreen = async () => companion.auth.signIn(credentials)
  const otherScreen = async () => companion.auth.signIn(credentials)
  for (const [screen, name] of [
    [myScreen, 'myScreen'],
    [otherScreen, 'otherScreen'],
  ] as const) {
    const [, error] = await safe(screen())
    const [first, second] = error?.stack?.split('\n') ?? []
    expect(first).toBe('CompanionError: auth.signIn: 400 Password is invalid')
    expect(second).toContain(name)
  }
})

test('calls that share a refresh share no error', async () => {
  const service = serviceInMemory()
  const companion = createCompanion({ baseUrl: 'https://companion.test', fetch: service.fetch })
  await companion.auth.signIn(credentials)
  service.expireAccess()
  service.instead = ({ path }) =>
    path === 'auth.refresh' ? refuse(401, 'Could not validate credentials') : undefined
  const [[, one], [, other]] = await Promise.all([
    safe(companion.account.me()),
    safe(companion.devices.list()),
  ])
  expect(one?.message).toBe('account.me: 401 Could not validate credentials')
  expect(other?.message).toBe('devices.list: 401 Could not validate credentials')
  expect([one, other].map(isSignedOut)).toEqual([true, true])
})

test('an error without response keeps its cause', async () => {
  const [, error] = await safe(setUp(cut).auth.signIn(credentials))
  expect(error?.message).toBe('auth.signIn: The service could not be reached')
  expect(error).toMatchObject({ cause: { cause: { message: 'fetch failed' } } })
  expect(isOffline(error)).toBe(true)
})

test('invalid fields are named without their values', async () => {
  const issue = { loc: ['body', 'event_data', '0'], msg: 'is too long', input: 'Kim Jiyoung' }
  const [, error] = await safe(setUp(() => refuse(422, [issue])).auth.signIn(credentials))
  expect(error?.message).toBe('auth.signIn: 422 event_data.0: is too long')
})

test('the raw client fails with the same class', async () => {
  const error: unknown = await setUp(wrong)
    .trpc.auth.signIn.mutate(credentials)
    .catch((each: unknown) => each)
  expect(error).toBeInstanceOf(CompanionError)
})
