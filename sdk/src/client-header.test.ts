import { readFile } from 'node:fs/promises'
import { afterEach, expect, test, vi } from 'vitest'
import { serviceInMemory } from '../testing/service-in-memory.ts'
import { createCompanion } from './index.ts'

const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
const baseUrl = 'https://companion.test'
const report = { real_user_id: 1, current_date: '2026-03-01', select_mode: 0 } as const

afterEach(() => void vi.unstubAllGlobals())

test.each([
  ['server', {}],
  ['react-native', { navigator: { product: 'ReactNative' } }],
  ['browser', { document: {}, addEventListener: () => {} }],
])('every call from %s says which client sends it', async (platform, globals) => {
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value)
  const { fetch, sent, expireAccess } = serviceInMemory()
  const companion = createCompanion({ baseUrl, fetch, client: 'my-app/1.2' })
  await companion.auth.signIn({ username: '', password: '' })
  expireAccess()
  await companion.account.me()
  await companion.reports.exportPdf(report).catch(() => {})
  expect(sent.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['auth.refresh', '/api/v1/beta/pdf/export']),
  )
  expect(new Set(sent.map(({ headers }) => headers.get('x-client')))).toEqual(
    new Set([`my-app/1.2 companion-sdk/${version} (${platform})`]),
  )
})

test('without a name of the app it says that of the package, and a name must fit', async () => {
  const { fetch, sent } = serviceInMemory()
  await createCompanion({ baseUrl, fetch }).auth.signIn({ username: '', password: '' })
  expect(sent[0]?.headers.get('x-client')).toBe(`companion-sdk/${version} (server)`)
  expect(() => createCompanion({ baseUrl, client: 'My app\r\n' })).toThrow('client must be')
})
