import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { addChild, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { connectBasestation, disconnectBasestation } from '../../support/basestations.ts'
import { readPdf } from '../../support/files/pdf.ts'
import { EXPORT, fetchReport, readFigures } from '../../support/report.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
let parent: Account
let child: number
let station: Awaited<ReturnType<typeof connectBasestation>>

beforeAll(async () => {
  parent = await signUp(server)
  child = (await addChild(server, parent.token)).real_user_id
  station = await connectBasestation(server, parent.token)
})

afterEach(() => void vi.useRealTimers())

const query = (other: Record<string, string | number> = {}) => ({
  real_user_id: child,
  current_date: '2026-08-20',
  select_mode: 0,
  language: 'EN',
  ...other,
})
const refused = (token: string, other: Record<string, string | number> = {}) =>
  server.get(EXPORT, { token, query: query(other) })

test('the file has the name and headers of the contract', async () => {
  const { status, headers, bytes } = await fetchReport(server, EXPORT, parent.token, query())
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe('application/pdf')
  expect(headers.get('content-disposition')).toBe('attachment; filename=Beta_Report.pdf')
  expect(headers.get('content-length')).toBe(String(bytes.length))
  expect((await readPdf(bytes)).language).toBe('en')
})

test('the language is Korean unless another is named', async () => {
  const { language: _, ...rest } = query()
  expect((await readPdf((await fetchReport(server, EXPORT, parent.token, rest)).bytes)).language).toBe(
    'ko-KR',
  )
})

test.each([
  ['2026-08-20', 0, '20 August 2026 – 19 September 2026 (31 days)'],
  ['2026-08-20', 1, '20 August 2026 – 19 October 2026 (61 days)'],
  ['2026-08-20', 2, '20 August 2026 – 19 November 2026 (92 days)'],
  ['2026-01-31', 0, '31 January 2026 – 27 February 2026 (28 days)'],
  ['2023-11-30', 2, '30 November 2023 – 28 February 2024 (91 days)'],
])('from %s, mode %i is %s', async (current_date, select_mode, period) => {
  const { bytes } = await fetchReport(server, EXPORT, parent.token, query({ current_date, select_mode }))
  expect((await readFigures(bytes)).period).toBe(period)
})

test('the base station is the one that was connected first of those connected now', async () => {
  const family = await signUp(server)
  const real_user_id = (await addChild(server, family.token)).real_user_id
  const [first, second, third] = [
    await connectBasestation(server, family.token),
    await connectBasestation(server, family.token),
    await connectBasestation(server, family.token),
  ]
  const chosen = async () =>
    (await readFigures((await fetchReport(server, EXPORT, family.token, query({ real_user_id }))).bytes))
      .station
  expect(await chosen()).toBe(first.serial_code)
  await disconnectBasestation(server, family.token, first.basestation_id)
  expect(await chosen()).toBe(second.serial_code)
  await disconnectBasestation(server, family.token, second.basestation_id)
  await connectBasestation(server, family.token, first)
  expect(await chosen()).toBe(third.serial_code)
})

test('errors are JSON, in the order child, its owner, base station, its owner', async () => {
  const family = await signUp(server)
  expect(await refused(family.token, { real_user_id: 2_000_000_000 })).toMatchObject({
    status: 404,
    body: { detail: 'Real user is not found' },
  })
  expect(await refused(family.token)).toMatchObject({ status: 401, body: { detail: 'Not authorized user' } })
  const { real_user_id } = await addChild(server, family.token)
  expect(await refused(family.token, { real_user_id })).toMatchObject({
    status: 404,
    body: { detail: 'Device not found' },
  })
  const own = await connectBasestation(server, family.token)
  await disconnectBasestation(server, family.token, own.basestation_id)
  const response = await refused(family.token, { real_user_id })
  expect(response).toMatchObject({ status: 403, body: { detail: 'This device does not belong to the user' } })
  expect(response.headers.get('content-type')).toContain('application/json')
  // Another account has it now, and another has one: neither helps.
  await connectBasestation(server, parent.token, own)
  expect(await refused(family.token, { real_user_id })).toMatchObject({ status: 403 })
  await disconnectBasestation(server, parent.token, own.basestation_id)
  expect(station.basestation_id).not.toBe(own.basestation_id)
})

test('errors of the access token come first', async () => {
  expect(await server.get(EXPORT, { query: { language: 'XX' } })).toMatchObject({
    status: 401,
    body: { detail: 'Could not validate credentials' },
  })
  const leaving = await signUp(server)
  await server.delete('/api/v1/beta/user/root-user', { token: leaving.token })
  expect(await refused(leaving.token)).toMatchObject({ status: 401, body: { detail: 'User is Deleted' } })
  const blocked = await signUp(server)
  await server.database.pool.query('UPDATE root_user SET blocked_at = now() WHERE id = $1', [blocked.id])
  expect(await refused(blocked.token)).toMatchObject({ status: 423 })
  const erased = await signUp(server)
  await server.database.pool.query('DELETE FROM root_user WHERE id = $1', [erased.id])
  expect(await refused(erased.token)).toMatchObject({ status: 401, body: { detail: 'User is None' } })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_000_000 })
  expect(await refused(parent.token)).toMatchObject({ status: 401, body: { detail: 'Token is expired' } })
})

test.each([
  [{ select_mode: 3 }, 'select_mode'],
  [{ select_mode: -1 }, 'select_mode'],
  [{ select_mode: '' }, 'select_mode'],
  [{ current_date: '2026-13-01' }, 'current_date'],
  [{ language: 'JP' }, 'language'],
])('%j is not valid', async (other, field) => {
  const { status, body } = await refused(parent.token, other)
  expect(status).toBe(422)
  expect(body.detail).toEqual([expect.objectContaining({ loc: ['query', field] })])
})

test.each(['real_user_id', 'current_date', 'select_mode'])('%s is required', async (field) => {
  const { [field]: _, ...rest } = query() as Record<string, string | number>
  const { status, body } = await server.get(EXPORT, { token: parent.token, query: rest })
  expect(status).toBe(422)
  expect(body.detail).toEqual([expect.objectContaining({ type: 'missing', loc: ['query', field] })])
})
