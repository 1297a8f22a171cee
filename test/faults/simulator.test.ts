import { randomInt } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { createRandom, makeNights, toTemporaryRecord, upload } from '@companion/device-simulator'
import type { DevlogItem, Misbehaviour, UploadReport } from '@companion/device-simulator'
import { afterEach, expect, test, vi } from 'vitest'
import { addChild, signUp } from '../support/family.ts'
import { useServer } from '../support/server.ts'

const DEVICES = 3
const FAULTS_OF_EACH = 167
/** To see a run again that failed: `SIMULATOR_SEED=… pnpm test test/failures/simulator.test.ts`. */
const seed = Number(process.env['SIMULATOR_SEED'] ?? randomInt(2 ** 31))

/** The failures of a device, and whether the report names them. */
const failures: readonly [Misbehaviour, (report: UploadReport) => boolean][] = [
  [{ retries: 1 }, ({ repeated }) => repeated > 0],
  [{ duplicates: 1 }, ({ items }) => items > 0],
  [{ shuffle: true }, ({ items }) => items > 1],
  [{ cut: 1 }, ({ cut }) => cut > 0],
  [{ lost: 1 }, ({ lost }) => lost > 0],
  [{ torn: 1 }, ({ torn }) => torn > 0],
  [{ temporary: 1 }, ({ items }) => items > 1],
  [{ clock1970: 0.4 }, ({ items_rejected }) => items_rejected > 0],
  [{ strangers: 0.4 }, ({ items_rejected }) => items_rejected > 0],
]

const server = useServer({ SERVICE_TIME_ZONE: 'Asia/Seoul' })
afterEach(() => {
  vi.useRealTimers()
})

/** The records that the service must have, by the rules alone and without SQL. */
class Model {
  readonly #known: ReadonlySet<string>
  #kept: DevlogItem[] = []

  constructor(devices: readonly string[]) {
    this.#known = new Set(devices)
  }

  receive(body: string, isLenient: boolean): void {
    const items = itemsIn(body)
    const good = items.filter(
      ({ unique_id, detail_data }) => this.#known.has(unique_id) && detail_data.treatment_date >= '2015',
    )
    if (good.length < items.length && !isLenient) return
    for (const item of good.toSorted((one, other) => Number(isTemp(one)) - Number(isTemp(other))))
      this.#arrive(item)
  }

  #arrive(item: DevlogItem): void {
    const ofThatUse = this.#kept.filter((each) => useOf(each) === useOf(item))
    // A temporary record yields to a complete one of its use, and to a temporary one that is as long.
    const yields = isTemp(item)
      ? ofThatUse.some((each) => !isTemp(each) || secondsOf(each) >= secondsOf(item))
      : ofThatUse.some((each) => !isTemp(each) && each.log_file_id === item.log_file_id)
    if (yields) return
    this.#kept = this.#kept.filter((each) => useOf(each) !== useOf(item) || !isTemp(each))
    this.#kept.push(item)
  }

  /** One line a record, as the database tells them. */
  records(): string[] {
    return this.#kept.map((item) => {
      const { treatment_date, finish_flag, treatment_time, last_intensity, movement = 0 } = item.detail_data
      const intensities = item.intensity_record.map(({ intensity }) => intensity)
      return [
        item.unique_id,
        treatment_date,
        item.log_file_id,
        isTemp(item),
        finish_flag,
        treatment_time,
        last_intensity,
        movement,
        intensities.join(),
      ].join(' ')
    })
  }

  dates(device: string): string[] {
    const own = this.#kept.filter(({ unique_id }) => unique_id === device)
    return [...new Set(own.map(({ detail_data }) => detail_data.treatment_date.slice(0, 10)))].toSorted()
  }

  /** The uses of a day as the device's own view shows them, in their order. */
  day(device: string, date: string): object[] {
    return this.#kept
      .filter(({ unique_id }) => unique_id === device)
      .map(({ detail_data: { treatment_date, treatment_time, last_intensity } }) => ({
        treatment_date,
        treatment_time,
        last_intensity,
      }))
      .filter(({ treatment_date }) => treatment_date.startsWith(date))
      .toSorted((one, other) => (one.treatment_date < other.treatment_date ? -1 : 1))
  }
}

const isTemp = (item: DevlogItem) => item.is_temp === true
const secondsOf = ({ detail_data }: DevlogItem) => detail_data.treatment_time
const useOf = ({ unique_id, detail_data }: DevlogItem) => `${unique_id} ${detail_data.treatment_date}`

/** The items of a body; none of one that is no JSON. */
function itemsIn(body: string): DevlogItem[] {
  try {
    return JSON.parse(body)
  } catch {
    return []
  }
}

/** Unpacks a body; a torn one holds nothing. */
function textOf(body: Uint8Array, isPacked: boolean): string {
  try {
    return (isPacked ? gunzipSync(body) : Buffer.from(body)).toString()
  } catch {
    return ''
  }
}

test(`${DEVICES * FAULTS_OF_EACH} random failures of devices leave what the model says (SIMULATOR_SEED=${seed})`, async () => {
  const { token } = await signUp(server)
  const children = await Promise.all(Array.from({ length: DEVICES }, () => addChild(server, token)))
  const devices = children.map(({ unique_id }) => unique_id)
  const model = new Model(devices)
  const struck = new Set<string>()

  // A device does one thing after another; several do so at once.
  await Promise.all(
    devices.map(async (uniqueId, index) => {
      const random = createRandom(seed, index)
      const upTo = (most: number) => random.integer(1, most)
      // So many that most are sent once: what is lost is not made good by chance.
      const nights = makeNights({ seed: seed + index, nights: 365, until: '2025-12-31', uniqueId })
      for (let strikes = 0; strikes < FAULTS_OF_EACH;) {
        const [failure, hasStruck] = failures[upTo(failures.length) - 1] ?? [{}, () => false]
        const lenient = random.chance(0.3)
        const gzip = random.chance(0.5)
        const start = upTo(nights.length) - 1
        const items = nights.slice(start, start + upTo(6))
        // Some nights were still under way when the device was last heard of.
        if (random.chance(0.25)) items.push(...items.splice(-1).map(toTemporaryRecord))
        const report = await upload({
          url: server.url,
          items,
          seed: upTo(2 ** 31),
          batch: upTo(6),
          misbehaviour: { shuffle: random.chance(0.5), lenient, gzip, ...failure },
          wait: async () => {},
          fetch: async (url, init) => {
            const response = await fetch(url, init)
            if (init?.body instanceof Uint8Array) model.receive(textOf(init.body, gzip), lenient)
            return response
          },
        })
        expect(report).toMatchObject({ unsent: 0, items: report.items_acknowledged + report.items_rejected })
        if (!hasStruck(report)) continue
        strikes += 1
        for (const kind of Object.keys(failure)) struck.add(kind)
      }
    }),
  )
  expect(struck.size).toBe(failures.length)

  const { rows } = await server.database.pool.query<{ record: string }>(
    `SELECT concat_ws(' ', d.unique_id, to_json(treatment_date) #>> '{}', log_file_id, is_temp::text, finish_flag,
       treatment_time, last_intensity, movement, array_to_string(intensity_record, ',')) AS record
     FROM treatment t JOIN device d ON d.id = t.device_id WHERE t.deleted_at IS NULL`,
  )
  expect(rows.map(({ record }) => record).toSorted()).toEqual(model.records().toSorted())
  expect(rows.length).toBeGreaterThan(100)

  for (const unique_id of devices) {
    const history = await server.get('/api/v1/gamma/device/history', {
      query: { unique_id, select_mode: 3, year: 2025 },
    })
    const dates = model.dates(unique_id)
    expect(history.body).toEqual(dates.map((date) => ({ date, is_devlog: 1 })))
    const days = await Promise.all(
      dates.map((event_date) =>
        server.get('/api/v1/gamma/device/detail', { query: { unique_id, event_date } }),
      ),
    )
    expect(days.map(({ body }) => body.treatment_data)).toEqual(
      dates.map((date) => model.day(unique_id, date)),
    )
  }
})

test(`a device loses its clock battery in 1,000 nights and follows the advice: none is lost or on a wrong day (SIMULATOR_SEED=${seed})`, async () => {
  // The device and the service read the same clock, so that a slow machine does not count as a wrong clock.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  const { unique_id } = await addChild(server, (await signUp(server)).token)
  const random = createRandom(seed, 'flat clock')
  const items = makeNights({ seed, nights: 1000, until: '2026-03-31', uniqueId: unique_id })
  const report = await upload({
    url: server.url,
    items,
    seed,
    batch: 50,
    misbehaviour: {
      flatClock: 0.1 + 0.9 * random.next(),
      firmware: 12,
      shuffle: true,
      retries: 0.2,
      duplicates: 0.1,
      cut: 0.2,
      lost: 0.2,
    },
    wait: async () => {},
  })
  expect(report).toMatchObject({ ok: true, corrected: 1, rejected: expect.any(Number) })
  expect(report.rejected).toBeGreaterThan(0)

  const { rows } = await server.database.pool.query<{ record: string; firmware: number }>(
    `SELECT concat_ws(' ', to_json(treatment_date) #>> '{}', log_file_id) AS record, now_firmware_id AS firmware
     FROM treatment t JOIN device d ON d.id = t.device_id WHERE d.unique_id = $1 AND t.deleted_at IS NULL`,
    [unique_id],
  )
  expect(rows.map(({ record }) => record).toSorted()).toEqual(
    items.map(({ detail_data, log_file_id }) => `${detail_data.treatment_date} ${log_file_id}`).toSorted(),
  )
  expect(new Set(rows.map(({ firmware }) => firmware))).toEqual(new Set([12]))
})
