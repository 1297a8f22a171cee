import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { purge } from '@companion/server/retention/purge.ts'
import { startBackgroundWork } from '@companion/server/service.ts'
import { createLogger } from '@companion/server/telemetry/log.ts'
import { addChild, signUp } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { connectBasestation, reading, uploadReadings } from '../support/basestations.ts'
import { useServer } from '../support/server.ts'

/* Readings of base stations count once in their date's means, also when they are no longer kept one by one. */

const server = useServer()
const DAY = 86_400_000

let parent: Account
let station: Awaited<ReturnType<typeof connectBasestation>>
let real_user_id: number
beforeEach(async () => {
  parent = await signUp(server)
  station = await connectBasestation(server, parent.token)
  real_user_id = (await addChild(server, parent.token)).real_user_id
})
afterEach(() => void vi.useRealTimers())

const rows = async (sql: string, values: unknown[] = []) =>
  (await server.database.pool.query(sql, values)).rows

async function send(...items: ReturnType<typeof reading>[]) {
  expect(await uploadReadings(server, items)).toMatchObject({ status: 200 })
}
const at = (measured_at: string, noise = 30) => reading(station.unique_id, measured_at, { noise })

/** The dates of the chart's month that have readings. */
async function charted(current_date: string) {
  const query = { real_user_id, select_mode: 1, current_date }
  const { status, body } = await server.get('/api/v1/beta/chart/analysis', { token: parent.token, query })
  expect(status).toBe(200)
  return body.sleep_env_data.filter(({ humidity }: { humidity: number }) => humidity !== 0)
}

/** Purges as it will be done in `days` days. */
async function purgeIn(days: number) {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * DAY })
  const purged = await purge(server.database, server.config)
  vi.useRealTimers()
  return purged
}

const dateIn = (days: number) => new Date(Date.now() + days * DAY).toISOString().slice(0, 10)

const rawReadings = async () =>
  (
    await rows('SELECT noise FROM sleep_reading WHERE basestation_id = $1 ORDER BY measured_at', [
      station.basestation_id,
    ])
  ).map(({ noise }) => noise)

test('the chart has the means of the readings themselves, to the digit', async () => {
  const value = (least: number, most: number) =>
    fc.oneof(
      fc.integer({ min: least * 20, max: most * 20 }).map((n) => n / 20),
      fc.double({ min: least, max: most, noNaN: true }),
    )
  const item = fc.record({
    measured_at: fc
      .integer({ min: 0, max: 4 * 24 * 60 })
      .map((minute) => new Date(Date.UTC(2026, 2, 1, 0, minute)).toISOString().slice(0, 19)),
    temperature: value(-40, 60),
    // Zero is no data to a chart.
    humidity: value(1, 100),
    brightness: fc.nat(2 ** 31 - 1),
    noise: fc.nat(120),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(item, { maxLength: 20 }), { maxLength: 6 }), async (uploads) => {
      await rows('DELETE FROM sleep_reading WHERE basestation_id = $1', [station.basestation_id])
      await rows('DELETE FROM reading_day WHERE basestation_id = $1', [station.basestation_id])
      // Each is sent twice, at the same time as others.
      await Promise.all(
        [...uploads, ...uploads].map((items) =>
          send(...items.map((each) => ({ ...each, unique_id: station.unique_id }))),
        ),
      )
      expect(await charted('2026-03-05')).toEqual(
        await rows(
          `SELECT to_char(measured_at, 'YYYY-MM-DD') AS date, round(round(avg(temperature)::numeric, 9), 1)::float8 AS temperature,
             round(round(avg(humidity)::numeric, 9), 1)::float8 AS humidity,
             round(avg(brightness))::int AS brightness, round(avg(noise))::int AS noise
           FROM sleep_reading WHERE basestation_id = $1 GROUP BY 1 ORDER BY 1`,
          [station.basestation_id],
        ),
      )
    }),
    { numRuns: 40 },
  )
})

test('single readings go after two weeks, their means stay, and sent again they count no more', async () => {
  const date = dateIn(0)
  const night = [at(`${date}T01:00:00`, 10), at(`${date}T01:10:00`, 20), at(`${date}T01:20:00`, 30)]
  await send(...night)
  const before = await charted(date)
  expect(before).toMatchObject([{ date, noise: 20 }])

  expect(await purgeIn(14)).toMatchObject({ weeks_of_readings: 0 })
  expect(await rawReadings()).toEqual([10, 20, 30])
  // A week goes when its last day has served its time.
  expect(await purgeIn(22)).toMatchObject({ weeks_of_readings: expect.toSatisfy((weeks) => weeks > 0) })
  expect(await rawReadings()).toEqual([])
  expect(await charted(date)).toEqual(before)

  await send(...night)
  expect(await charted(date)).toEqual(before)
  // Late ones of the same date, twice.
  await send(night[2] ?? at(date), at(`${date}T01:30:00`, 60))
  await send(at(`${date}T01:30:00`, 60))
  expect(await charted(date)).toMatchObject([{ date, noise: 30 }])
  expect(await purgeIn(22)).toMatchObject({ late_readings: 4 })
  await send(at(`${date}T01:30:00`, 60))
  expect(await charted(date)).toMatchObject([{ date, noise: 30 }])
  // And of a date of which nothing had come.
  await send(at('2020-02-29T23:59:59', 7), at('2020-02-29T23:59:58', 8))
  await send(at('2020-02-29T23:59:59', 7))
  await purgeIn(22)
  await send(at('2020-02-29T23:59:59', 7))
  expect(await charted('2020-02-29')).toMatchObject([{ date: '2020-02-29', noise: 8 }])
})

test('readings of a week that nobody has made yet move there when it is made, and stay single', async () => {
  const date = dateIn(200)
  const ofStation = 'FROM sleep_reading_other WHERE basestation_id = $1'
  // As after months without a purge.
  const sendEarly = async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 200 * DAY })
    await send(at(`${date}T00:00:00`, 5))
    vi.useRealTimers()
  }
  await sendEarly()
  await purgeIn(0)
  expect(await rows(`SELECT noise ${ofStation}`, [station.basestation_id])).toEqual([{ noise: 5 }])
  await purgeIn(190)
  expect(await rows(`SELECT ${ofStation}`, [station.basestation_id])).toEqual([])
  await sendEarly()
  expect(await rawReadings()).toEqual([5])
  expect(await charted(date)).toMatchObject([{ date, noise: 5 }])
})

test('weeks that somebody reads stay until the next purge, and uploads go on', async () => {
  await purgeIn(0)
  const item = at(`${dateIn(0)}T02:00:00`)
  const reader = await server.database.pool.connect()
  try {
    await reader.query('BEGIN')
    await reader.query('SELECT FROM sleep_reading LIMIT 1')
    const [purged] = await Promise.all([purgeIn(400), send(item)])
    expect(purged).toMatchObject({ weeks_of_readings: 0 })
  } finally {
    await reader.query('ROLLBACK')
    reader.release()
  }
  expect(await purgeIn(400)).toMatchObject({ weeks_of_readings: expect.toSatisfy((weeks) => weeks > 0) })
})

test('readings that come while their weeks are made, one after the other, are stored', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 700 * DAY })
  const now = Date.now()
  const hour = (ago: number) => new Date(now - ago * 3_600_000).toISOString().slice(0, 19)
  const made = new AbortController()
  let sent = 0
  const writers = Array.from({ length: 4 }, async () => {
    // Each upload has a reading of each of the last weeks.
    for (; !made.signal.aborted; sent += 1)
      await send(...Array.from({ length: 10 }, (_, week) => at(hour(168 * week + sent / 60))))
  })
  await purge(server.database, server.config)
  made.abort()
  await Promise.all(writers)
  expect(sent).toBeGreaterThan(writers.length)
})

test('a service that starts after a pause of weeks is ready when the weeks of its readings exist', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 900 * DAY })
  const { config, database } = server
  const weekOf = (days: number) =>
    rows(
      `SELECT FROM pg_class WHERE relname = to_char(date_trunc('week', $1::date), '"sleep_reading_"YYYYMMDD')`,
      [dateIn(days)],
    )
  expect(await weekOf(0)).toEqual([])
  const work = startBackgroundWork({ config, database, log: createLogger('silent'), tracing: undefined })
  await work.ready
  for (const days of [-7, 0, 7, 14]) expect(await weekOf(days)).toEqual([{}])
  await work.stop()
  await work.close()
})
