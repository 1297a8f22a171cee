import { createCompanion, isOffline, isSignedOut, safe } from '@companion/sdk'
import type { Account } from '@companion/sdk'
import { scriptedService } from '@companion/sdk/testing'
import { expect, expectTypeOf, test } from 'vitest'
import type { OutputOf, ErrorsOf } from './index.ts'

const credentials = { username: 'parent@example.com', password: 'correct horse battery' }
const device = {
  device_id: 1,
  now_firmware_id: 0,
  unique_id: '0b0f7a9e-6f0a-4b0e-9d6e-0f1c2d3e4f50',
  serial_code: 'CMP-000123',
  device_alias: 'CMP-000123',
  last_log_file_id: 0,
  created_at: '2026-03-01T00:00:00.000Z',
  connected_at: '2026-03-01T18:20:00.000Z',
  last_upload_at: null,
  real_user_id: 1,
}
const period = { real_user_id: 1, current_date: '2026-03-01', select_mode: 0 } as const

async function signedIn() {
  const service = scriptedService()
  const companion = createCompanion({ baseUrl: 'https://companion.test', fetch: service.fetch, retries: 0 })
  await companion.auth.signIn(credentials)
  return { service, ...companion }
}

test('an operation answers what the test says, for as many calls as it says', async () => {
  const { service, devices } = await signedIn()
  service.answer('devices.list', [])
  service.answer('devices.list', [device], { times: 1 })
  expect(await devices.list()).toEqual([device])
  expect(await devices.list()).toEqual([])
})

test('an operation is refused as the test says', async () => {
  const { service, auth, children } = await signedIn()
  service.refuse('auth.signOut', 423, 'Access denied. Account blocked')
  const [, blocked] = await safe(auth.signOut())
  expect(isSignedOut(blocked)).toBe(true)
  service.refuse('children.read', 429, 'Too many requests', { retryAfter: 57 })
  await auth.signIn(credentials)
  const [, busy] = await safe(children.read({ real_user_id: 3 }))
  expect(busy).toMatchObject({ data: { status: 429 }, retryAfter: 57_000 })
  expect(service.calls('children.read')).toEqual([{ real_user_id: 3 }])
  service.cut('children.read')
  expect(isOffline((await safe(children.read({ real_user_id: 3 })))[1])).toBe(true)
})

test('a sign-in can be refused too, and nobody is signed in then', async () => {
  const service = scriptedService()
  const { auth, account } = createCompanion({ baseUrl: 'https://companion.test', fetch: service.fetch })
  service.refuse('auth.signIn', 400, 'Password is invalid')
  await expect(auth.signIn(credentials)).rejects.toThrow('400 Password is invalid')
  expect(isSignedOut((await safe(account.me()))[1])).toBe(true)
})

test('an expired token is refreshed', async () => {
  const { service, devices } = await signedIn()
  service.answer('devices.list', [])
  service.expireAccess()
  await devices.list()
  // The first was refused.
  expect(service.calls('devices.list')).toHaveLength(2)
})

test('a file comes and is refused as a file', async () => {
  const { service, reports } = await signedIn()
  const bytes = new TextEncoder().encode('%PDF-1.7').buffer
  service.answer('reports.exportPdf', { name: 'May.pdf', type: 'application/pdf', bytes })
  expect(await reports.exportPdf(period)).toMatchObject({ name: 'May.pdf', bytes })
  service.refuse('reports.exportPdf', 404, 'Device not found')
  expect((await safe(reports.exportPdf(period)))[1]?.data?.detail).toBe('Device not found')
  expect(service.calls('reports.exportPdf')).toHaveLength(2)
})

test('an operation without answer says what to do', async () => {
  const { devices } = await signedIn()
  await expect(devices.list()).rejects.toThrow("service.answer('devices.list', …)")
})

test('a client with an access token of its own is served', async () => {
  const service = scriptedService()
  const { devices } = createCompanion({
    baseUrl: 'https://companion.test',
    fetch: service.fetch,
    accessToken: 'token of a grant',
  })
  service.answer('devices.list', [device])
  expect(await devices.list()).toEqual([device])
})

test('answers and errors are typed by their operation', () => {
  const service = scriptedService()
  expectTypeOf<OutputOf<'account.me'>>().toEqualTypeOf<Account>()
  expectTypeOf<
    Extract<ErrorsOf<'auth.signIn'>, { status: 410 }>['detail']
  >().toEqualTypeOf<'User is Deleted'>()
  // @ts-expect-error no such operation
  service.answer('devices.sell', [])
  // @ts-expect-error no such field
  service.answer('devices.list', [{ id: 1 }])
  // @ts-expect-error no such status of this operation
  service.refuse('devices.list', 410, 'User is Deleted')
  // @ts-expect-error no such text of this status
  service.refuse('auth.signIn', 400, 'Password is too short')
})
