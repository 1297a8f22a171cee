import { expect, onTestFinished, test, vi } from 'vitest'
import { closeBlocks } from '@companion/server/trail/close-blocks.ts'
import { countRepeatsInTrail } from '@companion/server/trail/repeats.ts'
import { createTrail } from '@companion/server/trail/trail.ts'
import { deriveKeys } from '@companion/server/auth/keys.ts'
import { operations } from '@companion/server/http/operations.ts'
import { appRouter } from '@companion/server/router.ts'
import { createLogger } from '@companion/server/telemetry/log.ts'
import { changes, settled } from '../support/changes.ts'
import type { TestResponse } from '../support/client.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { connectBasestation } from '../support/basestations.ts'
import { OFFERED_FIRMWARE, offerFirmware } from '../support/firmware.ts'
import { TEST_SECRET, useServer } from '../support/server.ts'
import { clinics } from '../support/clinics.ts'
import { addMember, shares } from '../support/shares.ts'
import { storedRows } from '../support/stored-rows.ts'
import { tally } from '../support/response-tally.ts'
import { until } from '../support/until.ts'

/* What the owner is told of who has reached a child's data misses no call of a member, and has none of the owner's. */

const server = useServer()
const DAY = '2026-03-01'

interface At {
  real_user_id: number
  device_id: number
  basestation_id: number
}

/** A good call of each operation that a member may do, by its name. */
const calls: Record<string, (token: string, at: At) => Promise<TestResponse>> = {
  'children.list': (token) => server.get('/api/v1/beta/user/real-user', { token }),
  'children.read': (token, { real_user_id }) =>
    server.get(`/api/v1/beta/user/real-user/${real_user_id}`, { token }),
  'devices.list': (token) => server.get('/api/v1/beta/device', { token }),
  'basestations.list': (token) => server.get('/api/v1/beta/basestation', { token }),
  'charts.recent': (token, { real_user_id }) =>
    server.get('/api/v1/beta/chart/recent', { token, query: { real_user_id } }),
  'charts.analysis': (token, { real_user_id }) =>
    server.get('/api/v1/beta/chart/analysis', { token, query: { real_user_id } }),
  'changes.list': (token) => changes(server, token),
  'treatments.list': (token, { real_user_id }) =>
    server.get('/api/v1/beta/treatment', { token, query: { real_user_id } }),
  'surveys.submit': (token, { real_user_id }) =>
    server.post('/api/v1/beta/survey', {
      token,
      json: { real_user_id, attention_score: 1, impulsivity_score: 2, disorder_score: 3 },
    }),
  'surveys.latest': (token, { real_user_id }) =>
    server.get('/api/v1/beta/chart/survey/analysis', { token, query: { real_user_id } }),
  'calendar.history': (token, { real_user_id }) =>
    server.get('/api/v1/beta/event/history', { token, query: { real_user_id } }),
  'calendar.readDay': (token, { real_user_id }) =>
    server.get('/api/v1/beta/event', { token, query: { real_user_id } }),
  'calendar.saveEvent': (token, { real_user_id }) =>
    server.post('/api/v1/beta/event', { token, json: { real_user_id, created_at: DAY, memo: 'Slept' } }),
  'reports.pdf': (token, { real_user_id, basestation_id }) =>
    server.get('/api/v1/beta/pdf/report', {
      token,
      query: { real_user_id, basestation_id, start_date: DAY, end_date: DAY },
    }),
  'reports.exportPdf': (token, { real_user_id }) =>
    server.get('/api/v1/beta/pdf/export', {
      token,
      query: { real_user_id, current_date: DAY, select_mode: 0 },
    }),
  'charts.recentByDate': (token, { real_user_id }) =>
    server.get('/api/v2/beta/chart/recent', { token, query: { real_user_id } }),
  'nights.insight': (token, { real_user_id }) =>
    server.get('/api/v1/beta/insight', { token, query: { real_user_id } }),
  'plans.list': (token, { real_user_id }) =>
    server.get('/api/v1/beta/plan', { token, query: { real_user_id } }),
  'plans.set': (token, { real_user_id }) =>
    server.put('/api/v1/beta/plan', { token, json: { real_user_id, nights_per_week: 5, minutes: 420 } }),
  'firmware.check': (token, { device_id }) => server.get('/api/v1/beta/ota', { token, query: { device_id } }),
  'firmware.download': (token, { device_id }) =>
    server.get('/api/v1/beta/ota/file', { token, query: { device_id, firmware_id: OFFERED_FIRMWARE } }),
  'firmware.report': (token, { device_id }) =>
    server.post('/api/v1/beta/ota/report', {
      token,
      json: { device_id, firmware_id: OFFERED_FIRMWARE, outcome: 'started' },
    }),
  'shares.list': (token, { real_user_id }) => shares(server).list({ token }, real_user_id),
  'clinics.listConnections': (token, { real_user_id }) =>
    clinics(server).listConnections({ token }, real_user_id),
}

async function family(): Promise<{ owner: Account; at: At }> {
  const owner = await signUp(server)
  const { real_user_id, unique_id, device_id } = await addChild(server, owner.token)
  await offerFirmware(server, device_id)
  await upload(server, [devlogItem(unique_id, `${DAY}T21:00:00`)])
  const { basestation_id } = await connectBasestation(server, owner.token)
  return { owner, at: { real_user_id, device_id, basestation_id } }
}

/** How often each operation is on record, when `count` of them are. */
const recorded = (owner: Account, { real_user_id }: At, count: number) =>
  until(async () => {
    await server.trailWritten()
    const { items } = (await shares(server).access(owner, real_user_id, { limit: 500 })).body
    const times: Record<string, number> = {}
    for (const item of items) times[item.operation] = (times[item.operation] ?? 0) + item.times
    return Object.values(times).reduce((sum, each) => sum + each, 0) === count && times
  })

test('every operation that admits a member is known here', () => {
  const admitting = operations(appRouter)
    .filter(({ operation: { right } }) => right === 'viewer' || right === 'guardian')
    .map(({ path }) => path)
    // Some end what would be on record, others can be called once.
    .filter(
      (path) =>
        !['shares.end', 'plans.remove', 'shares.acceptTransfer', 'shares.withdrawTransfer'].includes(path),
    )
    // Of a clinic: clinicians.test.ts.
    .filter((path) => !['clinics.listChildren', 'clinics.planNights', 'clinics.updatePlace'].includes(path))
  expect(Object.keys(calls).toSorted()).toEqual(admitting.toSorted())
})

test('each call of a member is counted, none of the owner, and none that was refused', async () => {
  const { owner, at } = await family()
  const guardian = await addMember(server, owner, { real_user_id: at.real_user_id, role: 'guardian' })
  const viewer = await addMember(server, owner, { real_user_id: at.real_user_id, role: 'viewer' })
  const stranger = await signUp(server)
  // So that there is a change to be read.
  await server.post('/api/v1/beta/event', {
    token: owner.token,
    json: { real_user_id: at.real_user_id, created_at: '2026-03-02', memo: 'Slept' },
  })
  await settled(server)
  const expected: Record<string, number> = {}
  let sum = 0
  for (const [n, [name, call]] of Object.entries(calls).entries()) {
    const times = 1 + (n % 3)
    for (let time = 0; time < times; time += 1)
      expect([name, (await call(guardian.token, at)).status]).toEqual([name, 200])
    const isForViewers =
      !['surveys.submit', 'calendar.saveEvent', 'plans.set', 'clinics.listConnections'].includes(name) &&
      !name.startsWith('firmware.')
    expect([name, (await call(viewer.token, at)).status]).toEqual([name, isForViewers ? 200 : 401])
    expect([name, (await call(owner.token, at)).status]).toEqual([name, 200])
    if (!name.endsWith('.list') || name === 'shares.list')
      expect([name, (await call(stranger.token, at)).status]).toEqual([name, 401])
    expected[name] = times + (isForViewers ? 1 : 0)
    sum += times + (isForViewers ? 1 : 0)
  }
  expect(await recorded(owner, at, sum)).toEqual(expected)
})

test('200 reads at once are counted to the last', async () => {
  const { owner, at } = await family()
  const viewer = await addMember(server, owner, { real_user_id: at.real_user_id, role: 'viewer' })
  const { token } = viewer
  const query = { real_user_id: at.real_user_id }
  const read = () => server.get('/api/v1/beta/chart/recent', { token, query })
  expect(tally(await Promise.all(Array.from({ length: 200 }, read)))).toEqual({ 200: 200 })
  expect(await recorded(owner, at, 200)).toEqual({ 'charts.recent': 200 })
})

test('a change names its author for the operator, each version its own', async () => {
  const { owner, at } = await family()
  const guardian = await addMember(server, owner, { real_user_id: at.real_user_id, role: 'guardian' })
  const save = ({ token }: Account, memo: string) =>
    server.post('/api/v1/beta/event', { token, json: { ...at, created_at: DAY, memo } })
  await save(owner, 'one')
  await save(guardian, 'two')
  await save(owner, 'three')
  const { rows: events } = await server.database.pool.query('SELECT id FROM event WHERE real_user_id = $1', [
    at.real_user_id,
  ])
  const rows = await storedRows(
    server.database,
    'event',
    `SELECT memo, saved_by FROM event WHERE real_user_id = $1 UNION ALL
     SELECT memo, saved_by FROM event_version WHERE event_id = ANY ($2)`,
    [at.real_user_id, events.map(({ id }) => id)],
  )
  expect(rows).toEqual(
    expect.arrayContaining([
      { memo: 'one', saved_by: owner.id },
      { memo: 'two', saved_by: guardian.id },
      { memo: 'three', saved_by: owner.id },
    ]),
  )
})

const told = () => {
  const lines: { msg: string; level: number; lost?: number; rows?: number }[] = []
  const log = createLogger('info', {
    write: (line: string) => void lines.push(JSON.parse(line)),
  })
  return { lines, log }
}

async function lostAccesses(): Promise<number> {
  const { body } = await server.get('/metrics')
  return Number(/^companion_trail_entries_lost_total (\d+)$/m.exec(body)?.[1])
}

/** Takes the table of the trail away for the rest of the test. */
async function hideTable(): Promise<() => Promise<unknown>> {
  const { pool } = server.database
  await pool.query('ALTER TABLE trail RENAME TO hidden')
  const back = () => pool.query('ALTER TABLE IF EXISTS hidden RENAME TO trail')
  onTestFinished(async () => void (await back()))
  return back
}

/** A trail of its own that writes only when it is told to, and what it logs. */
function quietTrail(mostRows?: number) {
  const { lines, log } = told()
  const trail = createTrail(server.database, log, { delayMs: 3_600_000, ...(mostRows ? { mostRows } : {}) })
  const origin = { keys: deriveKeys(TEST_SECRET), request: { address: '192.0.2.7', id: 'a-request' } }
  const note = (
    { real_user_id }: { real_user_id: number },
    { id }: Account,
    operation = 'charts.recent',
    change: { isChange?: boolean; oldValue?: unknown; outcome?: string } = {},
  ) =>
    trail.note(origin, {
      actor: { kind: 'member', id },
      operation,
      realUserId: real_user_id,
      outcome: 'ok',
      isChange: false,
      ...change,
    })
  return { lines, trail, note }
}

test('what cannot be written waits, and is written when it can be', async () => {
  const { owner, at } = await family()
  const { lines, trail, note } = quietTrail()
  const showTable = await hideTable()
  for (let n = 0; n < 3; n += 1) note(at, owner)
  await trail.flush()
  expect(lines).toMatchObject([{ msg: 'audit trail not written, will retry', rows: 1 }])
  note(at, owner)
  await showTable()
  await trail.stop()
  expect(await recorded(owner, at, 4)).toEqual({ 'charts.recent': 4 })
  expect(lines).toHaveLength(1)
})

test('what is lost is told by the log, a metric, and a row of the trail', async () => {
  const { owner, at } = await family()
  const { lines, trail, note } = quietTrail(2)
  const before = await lostAccesses()
  for (const operation of ['charts.recent', 'charts.recent', 'calendar.readDay', 'children.read'])
    note(at, owner, operation)
  expect(lines).toMatchObject([{ msg: 'accesses not recorded', level: 50, lost: 1 }])
  // The row waits, as all others do.
  const showTable = await hideTable()
  await trail.flush()
  await showTable()
  await trail.flush()
  const { rows } = await server.database.pool.query(
    `SELECT actor_kind, times, real_user_id FROM trail WHERE outcome = 'lost'`,
  )
  expect(rows).toEqual([{ actor_kind: 'service', times: 1, real_user_id: null }])
  note(at, owner, 'treatments.list')
  await hideTable()
  await trail.stop()
  expect(lines.at(-1)).toMatchObject({ msg: 'accesses not recorded', level: 50, lost: 1 })
  expect((await lostAccesses()) - before).toBe(2)
})

test('a child that has never been has no row, however often somebody asks for it', async () => {
  const { owner, at } = await family()
  const { trail, note } = quietTrail()
  const nobody = { real_user_id: 2_000_000_000 }
  for (let n = 0; n < 3; n += 1) {
    for (const child of [nobody, at])
      note(child, owner, 'charts.recent', { outcome: '401 Not authorized user' })
    await trail.flush()
  }
  await server.database.query(countRepeatsInTrail, [])
  const { rows } = await server.database.pool.query(
    // The minute may have turned, and the service may have written what the set-up did.
    `SELECT real_user_id, sum(times)::int AS times FROM trail
     WHERE real_user_id = ANY ($1) AND operation = 'charts.recent' GROUP BY 1`,
    [[nobody.real_user_id, at.real_user_id]],
  )
  expect(rows).toEqual([{ real_user_id: at.real_user_id, times: 3 }])
})

test('what comes again within its minute is counted in its row, or in another one when that is closed', async () => {
  const { owner, at } = await family()
  const { trail, note } = quietTrail()
  const { database, config } = server
  const counted = async () => {
    await database.query(countRepeatsInTrail, [])
    const { rows } = await database.pool.query(
      `SELECT times, block IS NOT NULL AS is_closed FROM trail WHERE real_user_id = $1 AND operation = 'charts.recent'
       ORDER BY id`,
      [at.real_user_id],
    )
    return rows
  }
  onTestFinished(() => void vi.useRealTimers())
  vi.useFakeTimers({ toFake: ['Date'] })
  note(at, owner)
  await trail.flush()
  for (let n = 0; n < 2; n += 1) note(at, owner)
  await trail.flush()
  note(at, owner)
  await trail.flush()
  expect(await counted()).toEqual([{ times: 4, is_closed: false }])
  await closeBlocks(database, deriveKeys(TEST_SECRET, config), { even: true })
  note(at, owner)
  await trail.stop()
  expect(await counted()).toEqual([
    { times: 4, is_closed: true },
    { times: 1, is_closed: false },
  ])
})

test('an old value that is written after its child was deleted is not kept', async () => {
  const { owner } = await family()
  const { real_user_id, unique_id } = await addChild(server, owner.token)
  const { trail, note } = quietTrail()
  note({ real_user_id }, owner, 'children.update', { isChange: true, oldValue: { first_name: 'Mina' } })
  const json = { real_user_id, unique_id }
  await server.delete('/api/v1/beta/user/delete-real-user', { token: owner.token, json })
  await trail.stop()
  const { rows } = await server.database.pool.query(
    `SELECT old_value FROM trail WHERE real_user_id = $1 AND operation = 'children.update'`,
    [real_user_id],
  )
  expect(rows).toEqual([{ old_value: null }])
})

test('each minute has a row of its own, and each hour an entry', async () => {
  const { owner, at } = await family()
  const { trail, note } = quietTrail()
  const day = new Date(Date.now() - 7 * 86_400_000).toISOString().slice(0, 10)
  onTestFinished(() => void vi.useRealTimers())
  for (const now of [
    `${day}T10:59:59.999Z`,
    `${day}T11:00:00.000Z`,
    `${day}T11:00:30.000Z`,
    `${day}T11:59:59.999Z`,
  ]) {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) })
    note(at, owner)
  }
  vi.useRealTimers()
  await trail.stop()
  await server.trailWritten()
  const { items } = (await shares(server).access(owner, at.real_user_id)).body
  expect(items).toMatchObject([
    { at: `${day}T11:00:00.000Z`, times: 3 },
    { at: `${day}T10:00:00.000Z`, times: 1 },
  ])
  const { rows } = await server.database.pool.query(
    `SELECT to_char(at AT TIME ZONE 'UTC', 'HH24:MI:SS') AS at, times FROM trail
     WHERE real_user_id = $1 AND operation = 'charts.recent' ORDER BY 1`,
    [at.real_user_id],
  )
  expect(rows).toEqual([
    { at: '10:59:00', times: 1 },
    { at: '11:00:00', times: 2 },
    { at: '11:59:00', times: 1 },
  ])
})
