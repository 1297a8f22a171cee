import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import fc from 'fast-check'
import { errorsByState, stateErrors } from '../../support/account-states.ts'
import { addChild, devlogItem, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeEach(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
})
afterEach(() => void vi.useRealTimers())

type Query = Record<string, string | number>
const page = (query: Query = {}, token = parent.token) =>
  server.get('/api/v1/beta/treatment', { token, query: { real_user_id: child.real_user_id, ...query } })

const MARCH = { start_date: '2026-03-01', end_date: '2026-03-31' }

/** Follows `next` to the end; returns the records and the sizes of the pages. */
async function walk(query: Query) {
  const [items, sizes]: [Record<string, unknown>[], number[]] = [[], []]
  for (let after: string | null = ''; after !== null;) {
    const { status, body } = await page(after ? { ...query, after } : query)
    expect(status).toBe(200)
    items.push(...body.items)
    sizes.push(body.items.length)
    after = body.next
  }
  return { items, sizes }
}

test('a record is answered as the device sent it', async () => {
  await upload(server, [
    devlogItem(child.unique_id, '2026-03-02T21:30:15.25', {
      log_file_id: 7,
      intensities: [3, 0, 32_767],
      treatment_time: 1081,
      last_intensity: 5,
      finish_flag: 4,
      movement: 12,
    }),
  ])
  expect(await page(MARCH)).toMatchObject({
    status: 200,
    body: {
      items: [
        {
          treatment_id: expect.any(Number),
          real_user_id: child.real_user_id,
          device_id: child.device_id,
          treatment_date: '2026-03-02T21:30:15.25',
          treatment_time: 1081,
          movement: 12,
          log_file_id: 7,
          last_intensity: 5,
          finish_flag: '4',
          is_temp: false,
          intensity_record: [{ intensity: 3 }, { intensity: 0 }, { intensity: 32_767 }],
        },
      ],
      next: null,
    },
  })
})

test('short, temporary and empty records are listed, deleted ones are not', async () => {
  const item = (day: string, detail: Parameters<typeof devlogItem>[2]) =>
    devlogItem(child.unique_id, `2026-03-${day}T20:00:00`, detail)
  await upload(server, [
    item('01', { treatment_time: 1 }),
    item('02', { is_temp: true }),
    item('03', { intensities: [] }),
    item('04', {}),
  ])
  await server.database.pool.query(
    `UPDATE treatment SET deleted_at = now() WHERE real_user_id = $1 AND treatment_date = '2026-03-04T20:00'`,
    [child.real_user_id],
  )
  const { body } = await page(MARCH)
  expect(body.items).toMatchObject([
    { treatment_date: '2026-03-01T20:00:00', treatment_time: 1 },
    { treatment_date: '2026-03-02T20:00:00', is_temp: true },
    { treatment_date: '2026-03-03T20:00:00', intensity_record: [] },
  ])
})

test('pages put together are the records of the period in their order, whatever the limit', async () => {
  await fc.assert(
    fc.asyncProperty(
      // Few minutes, so that many records have the same date.
      fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 25 }),
      fc.integer({ min: 1, max: 8 }),
      async (minutes, limit) => {
        child = await addChild(server, parent.token)
        const items = minutes.map((minute, n) =>
          devlogItem(child.unique_id, `2026-03-02T21:0${minute}:00`, { log_file_id: n }),
        )
        expect((await upload(server, items)).status).toBe(200)
        const walked = await walk({ ...MARCH, limit })
        const expected = minutes
          .map((minute, log_file_id) => ({ treatment_date: `2026-03-02T21:0${minute}:00`, log_file_id }))
          .toSorted((a, b) => a.treatment_date.localeCompare(b.treatment_date))
        expect(walked.items.map(({ treatment_date }) => treatment_date)).toEqual(
          expected.map(({ treatment_date }) => treatment_date),
        )
        const ids = walked.items.map(({ log_file_id }) => log_file_id)
        expect(new Set(ids)).toEqual(new Set(expected.map(({ log_file_id }) => log_file_id)))
        expect(ids).toHaveLength(expected.length)
        expect(walked.sizes.slice(0, -1).every((size) => size === limit)).toBe(true)
        expect(walked.sizes.at(-1)).toBeGreaterThan(0)
      },
    ),
    { numRuns: 15 },
  )
})

test('a page is full at 500 records and no more may be asked for', async () => {
  await server.database.pool.query(
    `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity,
       finish_flag, intensity_record)
     SELECT $1, $2, timestamp '2026-03-01' + n * interval '1 minute', 60, n, 1, 1, '{}' FROM generate_series(1, 501) n`,
    [child.device_id, child.real_user_id],
  )
  expect((await walk(MARCH)).sizes).toEqual([100, 100, 100, 100, 100, 1])
  expect((await walk({ ...MARCH, limit: 500 })).sizes).toEqual([500, 1])
  for (const limit of [0, 501]) expect((await page({ limit })).status).toBe(422)
})

test('both days belong to the period, and a page that is not asked for a period ends today', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-04-01T16:00:00Z') })
  parent = await signUp(server)
  child = await addChild(server, parent.token)
  const dates = [
    '2025-03-31T23:59:59.999999',
    '2025-04-01T00:00:00',
    '2026-04-01T23:59:59.999999',
    '2026-04-02T00:00:00',
  ]
  await upload(
    server,
    dates.map((date) => devlogItem(child.unique_id, date)),
  )
  const listed = async (query: Query) =>
    (await walk(query)).items.map(({ treatment_date }) => dates.indexOf(String(treatment_date)))
  expect(await listed({})).toEqual([1, 2])
  expect(await listed({ end_date: '2026-04-02' })).toEqual([2, 3])
  expect(await listed({ start_date: '2025-03-31' })).toEqual([0, 1])
  expect(await listed({ start_date: '2026-04-02', end_date: '2026-04-02' })).toEqual([3])
})

test.each<[Query, string, string]>([
  [{ start_date: '2026-03-02', end_date: '2026-03-01' }, 'end_date', 'must not be before start_date'],
  [
    { start_date: '2025-03-01', end_date: '2026-03-02' },
    'end_date',
    'must lie within 366 days of start_date',
  ],
  [{ start_date: 'yesterday' }, 'start_date', 'must be a day as yyyy-mm-dd'],
  [{ after: '' }, 'after', 'must be the `next` of an earlier answer'],
  [{ after: 'x'.repeat(201) }, 'after', 'Too big: expected string to have <=200 characters'],
  ...[
    '["2026-02-30T21:30:00","1"]',
    '["2026-03-01T21:30:00","0"]',
    '["2026-03-01T21:30:00",1]',
    '["2026-03-01T21:30:00","1","1"]',
    '["2026-03-01T21:30:00","1"] ',
    '["2026-03-01T21:30:00"',
  ].map((place): [Query, string, string] => [
    { after: Buffer.from(place).toString('base64url') },
    'after',
    'must be the `next` of an earlier answer',
  ]),
])('%j is refused', async (query, field, msg) => {
  const { status, body } = await page(query)
  expect(status).toBe(422)
  expect(body.detail).toMatchObject([{ loc: ['query', field], msg }])
})

test("a cursor of another child opens nothing of that child's", async () => {
  const sibling = await addChild(server, parent.token)
  await upload(server, [
    devlogItem(sibling.unique_id, '2026-03-02T21:00:00'),
    devlogItem(sibling.unique_id, '2026-03-03T21:00:00'),
    devlogItem(child.unique_id, '2026-03-04T21:00:00'),
  ])
  const { body } = await page({ ...MARCH, real_user_id: sibling.real_user_id, limit: 1 })
  expect((await page({ ...MARCH, after: body.next })).body.items).toMatchObject([
    { real_user_id: child.real_user_id, treatment_date: '2026-03-04T21:00:00' },
  ])
})

test("an absent child, a deleted one and another family's are refused", async () => {
  const notOwn = { status: 401, body: { detail: 'Not authorized user' } }
  const stranger = await signUp(server)
  expect(await page({}, stranger.token)).toMatchObject(notOwn)
  expect(await page({ real_user_id: 2 ** 31 - 1 })).toMatchObject(notOwn)
  await server.database.pool.query('UPDATE real_user SET deleted_at = now() WHERE id = $1', [
    child.real_user_id,
  ])
  expect(await page()).toMatchObject(notOwn)
})

test('tokens and accounts are judged', async () => {
  expect(await errorsByState(server, parent, (token) => page({}, token))).toEqual(stateErrors)
})
