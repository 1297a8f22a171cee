import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import {
  connectBasestation,
  disconnectBasestation,
  reading,
  uploadReadings,
} from '../support/basestations.ts'
import { useServer } from '../support/server.ts'

/*
 * Random histories of a family, told to the service and to the plain model below. Then every output of every day of
 * both children must be what the model counts by hand.
 */

const server = useServer()

/** Two weeks and a bit, over the end of a month, a week's end and the change of New York's clocks (8 March). */
const DAYS = [
  ...['24', '25', '26', '27', '28'].map((day) => `2026-02-${day}`),
  ...['01', '02', '03', '04', '05', '06', '07', '08', '09', '10'].map((day) => `2026-03-${day}`),
]
const TIMES = ['00:00:00', '00:00:00.5', '02:30:00', '12:00:00', '23:59:59', '23:59:59.999999']

interface Treatment {
  device: number
  child: number
  treatment_date: string
  log_file_id: number
  treatment_time: number
  last_intensity: number
  movement: number
  is_temp: boolean
}

interface Note {
  memo: string
  hospital: string[]
}

interface Reading {
  at: string
  /** Tenths of a degree, so that the model can count with integers. */
  tenths: number
  noise: number
}

/** The expected outcome, kept in the plainest way. */
class Model {
  treatments: Treatment[] = []
  notes = [new Map<string, Note>(), new Map<string, Note>()]
  readings: Reading[] = []
  /** Every reading the base station has sent, whosever it was. */
  sent = new Set<string>()
  /** Which child wears which device. */
  wearer = [0, 1]

  receive(item: Omit<Treatment, 'child'>) {
    const same = this.treatments.filter(
      (each) => each.device === item.device && each.treatment_date === item.treatment_date,
    )
    const yields = item.is_temp
      ? same.some((each) => !each.is_temp || each.treatment_time >= item.treatment_time)
      : same.some((each) => !each.is_temp && each.log_file_id === item.log_file_id)
    if (yields) return
    const temporary = same.filter((each) => each.is_temp)
    const child = temporary[0]?.child ?? this.wearer[item.device] ?? 0
    this.treatments = [...this.treatments.filter((each) => !temporary.includes(each)), { ...item, child }]
  }

  /** Reaches the records of the child who wears the device now. */
  clear(device: number) {
    this.treatments = this.treatments.filter(
      (each) => each.device !== device || each.child !== this.wearer[device],
    )
  }

  measure(reading: Reading, isOurs: boolean) {
    if (this.sent.has(reading.at)) return
    this.sent.add(reading.at)
    if (isOurs) this.readings.push(reading)
  }

  save(child: number, date: string, note: Note) {
    this.notes[child]?.set(date, note)
  }

  of(child: number, day: string) {
    return this.treatments.filter((each) => each.child === child && each.treatment_date.startsWith(day))
  }

  day(child: number, day: string) {
    const note = this.notes[child]?.get(day)
    const counted = this.of(child, day).filter((each) => each.is_temp || each.treatment_time >= 120)
    return {
      treatments: counted
        .map(({ treatment_date, treatment_time, last_intensity, is_temp }) =>
          JSON.stringify({ treatment_date, treatment_time, last_intensity, is_temp }),
        )
        .toSorted(),
      hasEvent: note !== undefined,
      memo: note?.memo ?? '',
      event_data: { medication: [], hospital: note?.hospital ?? [] },
    }
  }

  marks(child: number, days: readonly string[]) {
    return days.flatMap((date) => {
      const { treatments, memo, event_data } = this.day(child, date)
      const is_devlog = treatments.length > 0 ? 1 : 0
      const is_event = memo !== '' || event_data.hospital.length > 0 ? 1 : 0
      return is_devlog || is_event ? [{ date, is_devlog, is_event }] : []
    })
  }

  usage(child: number, treatment_date: string) {
    const records = this.of(child, treatment_date)
    const total = (of: (record: Treatment) => number) => records.reduce((sum, each) => sum + of(each), 0)
    return {
      treatment_date,
      count: records.length,
      treatment_time: total((each) => each.treatment_time),
      last_intensity: tenths(10 * total((each) => each.last_intensity), records.length),
      movement: total((each) => each.movement),
    }
  }

  sleep(date: string) {
    const readings = this.readings.filter(({ at }) => at.startsWith(date))
    const total = (of: (each: Reading) => number) => readings.reduce((sum, each) => sum + of(each), 0)
    return {
      date,
      temperature: tenths(
        total((each) => each.tenths),
        readings.length,
      ),
      humidity: readings.length > 0 ? 45 : 0,
      brightness: readings.length > 0 ? 3 : 0,
      noise: halfUp(
        total((each) => each.noise),
        readings.length,
      ),
    }
  }
}

/** `sum / count` to an integer, halves away from zero; 0 of nothing. */
function halfUp(sum: number, count: number): number {
  if (count === 0 || sum === 0) return 0
  const size = Math.floor((2 * Math.abs(sum) + count) / (2 * count))
  return sum < 0 && size > 0 ? -size : size
}

/** A mean of tenths, to one decimal. */
const tenths = (sum: number, count: number) => halfUp(sum, count) / 10

type Value<Values> = Values extends fc.Arbitrary<infer Each> ? Each : never

const addDays = (day: string, days: number) =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
const daysUntil = (last: string, count: number) =>
  Array.from({ length: count }, (_, n) => addDays(last, n + 1 - count))

const anyDay = fc.constantFrom(...DAYS)
const eitherOf = fc.integer({ min: 0, max: 1 })
const anyItem = fc.record({
  day: anyDay,
  time: fc.constantFrom(...TIMES),
  treatment_time: fc.constantFrom(0, 1, 60, 119, 120, 121, 3600, 86_400),
  last_intensity: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constant(32_767)),
  movement: fc.integer({ min: 0, max: 50 }),
  is_temp: fc.boolean(),
  /** A record may come under another log file than the temporary one before it, or under two. */
  log: fc.constantFrom(1, 1, 2),
})
const anyUpload = fc.record({
  device: eitherOf,
  items: fc.array(anyItem, { minLength: 1, maxLength: 6 }),
  times: fc.constantFrom(1, 2),
})
const anyNote = fc.record({
  child: eitherOf,
  day: anyDay,
  memo: fc.constantFrom('', '', 'slept well'),
  hospital: fc.constantFrom<string[]>([], [], ['Seoul']),
})
const anyMeasurement = fc.record({
  /** Whether the base station is at another family's at the time. */
  isLent: fc.boolean(),
  readings: fc.array(
    fc.record({
      day: anyDay,
      time: fc.constantFrom(...TIMES),
      tenths: fc.integer({ min: -50, max: 50 }),
      noise: fc.integer({ min: 0, max: 9 }),
    }),
    { minLength: 1, maxLength: 5 },
  ),
})

type Step = (family: Family, model: Model) => Promise<void>
const weighted = <Value>(weight: number, values: fc.Arbitrary<Value>, step: (value: Value) => Step) => ({
  weight,
  arbitrary: values.map((value) =>
    Object.assign(step(value), { [fc.toStringMethod]: () => JSON.stringify(value) }),
  ),
})
const anyStep = fc.oneof(
  weighted(8, anyUpload, uploadLogs),
  weighted(1, eitherOf, deleteLogs),
  weighted(2, fc.constant('swap'), () => swapDevices),
  weighted(4, anyNote, saveNote),
  weighted(3, anyMeasurement, measure),
)

async function newFamily() {
  const { token } = await signUp(server)
  const { token: neighbour } = await signUp(server)
  const devices = [await addChild(server, token), await addChild(server, token)] as const
  return {
    token,
    neighbour,
    devices,
    children: devices.map(({ real_user_id }) => real_user_id),
    station: await connectBasestation(server, token),
  }
}
type Family = Awaited<ReturnType<typeof newFamily>>

/** The body of a response that has to be 200. */
async function done(response: ReturnType<typeof server.get>) {
  const { status, body } = await response
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}

function uploadLogs({ device, items, times }: Value<typeof anyUpload>): Step {
  const records = items.map(({ day, time, log, ...detail }) => ({
    ...detail,
    treatment_date: `${day}T${time}`,
    log_file_id: 10 * (DAYS.indexOf(day) * TIMES.length + TIMES.indexOf(time)) + log,
  }))
  return async ({ devices }, model) => {
    const sent = records.map(({ treatment_date, ...record }) =>
      devlogItem(devices[device]?.unique_id ?? '', treatment_date, record),
    )
    for (let time = 0; time < times; time++) {
      await done(upload(server, sent))
      for (const record of records) model.receive({ ...record, device })
    }
  }
}

function deleteLogs(device: number): Step {
  return async ({ devices }, model) => {
    const { status } = await server.delete('/api/v1/gamma/device/devlog', {
      query: { unique_id: devices[device]?.unique_id ?? '' },
    })
    if (![200, 404].includes(status)) throw new Error(`Logs not deleted: ${status}`)
    model.clear(device)
  }
}

async function swapDevices({ token, devices, children }: Family, model: Model): Promise<void> {
  for (const { device_id } of devices)
    await done(server.delete(`/api/v1/beta/device/${device_id}`, { token }))
  model.wearer = model.wearer.toReversed()
  for (const [n, { serial_code, mac_id, unique_id }] of devices.entries()) {
    const json = { serial_code, mac_id, unique_id, real_user_id: children[model.wearer[n] ?? 0] }
    await done(server.post('/api/v1/beta/device', { token, json }))
  }
}

function saveNote({ child, day, memo, hospital }: Value<typeof anyNote>): Step {
  return async ({ token, children }, model) => {
    const json = { real_user_id: children[child], created_at: day, memo, event_data: { hospital } }
    await done(server.post('/api/v1/beta/event', { token, json }))
    model.save(child, day, { memo, hospital })
  }
}

function measure({ isLent, readings }: Value<typeof anyMeasurement>): Step {
  return async ({ token, neighbour, station }, model) => {
    const move = async (from: string, to: string) => {
      await disconnectBasestation(server, from, station.basestation_id)
      await connectBasestation(server, to, station)
    }
    if (isLent) await move(token, neighbour)
    const items = readings.map(({ day, time, tenths, noise }) =>
      reading(station.unique_id, `${day}T${time}`, { temperature: tenths / 10, noise }),
    )
    await done(uploadReadings(server, items))
    if (isLent) await move(neighbour, token)
    for (const { day, time, ...values } of readings)
      model.measure({ at: `${day}T${time}`, ...values }, !isLent)
  }
}

/** The six fields of a chart over `rows`. */
function chartOf(rows: ReturnType<Model['usage']>[]) {
  const known = rows.filter(({ count }) => count > 0)
  const mean = (of: (row: (typeof rows)[number]) => number) =>
    known.length === 0 ? 0 : known.reduce((sum, row) => sum + of(row), 0) / known.length
  return {
    treatment_time_data: rows.map(({ treatment_date, treatment_time }) => ({
      treatment_date,
      treatment_time,
    })),
    treatment_intensity_data: rows.map(({ treatment_date, last_intensity }) => ({
      treatment_date,
      last_intensity,
    })),
    movement_data: rows.map(({ treatment_date, movement }) => ({ treatment_date, movement })),
    avg_treatment_time: mean((row) => row.treatment_time),
    avg_treatment_intensity: mean((row) => row.last_intensity),
    avg_movement: mean((row) => row.movement),
  }
}

const PERIODS = [
  // 2026 begins on a Thursday: week 9 begins on Sunday 22 February.
  [0, 9, '2026-02-22', '2026-02-28'],
  [0, 10, '2026-03-01', '2026-03-07'],
  [0, 11, '2026-03-08', '2026-03-14'],
  [1, 2, '2026-02-01', '2026-02-28'],
  [1, 3, '2026-03-01', '2026-03-31'],
  [2, 1, '2026-01-01', '2026-03-31'],
  [3, 0, '2026-01-01', '2026-12-31'],
] as const

/** Everything that shows a child's days: as the service answers, and as the model has it. */
async function outputs({ token, children }: Family, model: Model, child: number) {
  const real_user_id = children[child] ?? 0
  const get = (path: string, query: object) =>
    done(server.get(`/api/v1/beta/${path}`, { token, query: { real_user_id, ...query } }))
  const found: { name: string; actual: unknown; expected: unknown }[] = []
  for (const day of DAYS) {
    const { event_id, treatment_data, ...detail } = await get('event', { event_date: day })
    const treatments = treatment_data.map((each: object) => JSON.stringify(each)).toSorted()
    found.push({
      name: `detail of ${day}`,
      actual: { ...detail, treatments, hasEvent: event_id !== null },
      expected: { real_user_id, ...model.day(child, day) },
    })
    for (const [select_mode, length] of [7, 30].entries()) {
      const days = daysUntil(day, length)
      const rows = days.map((each) => model.usage(child, each))
      const query = { select_mode, current_date: day }
      found.push({
        name: `recent chart of ${length} days to ${day}`,
        actual: await get('chart/recent', query),
        expected: chartOf(rows.filter(({ count }) => count > 0)),
      })
      found.push({
        name: `analysis chart of ${length} days to ${day}`,
        actual: await get('chart/analysis', query),
        expected: { ...chartOf(rows), sleep_env_data: days.map((each) => model.sleep(each)) },
      })
    }
  }
  for (const [select_mode, select_data, first, last] of PERIODS) {
    const days = DAYS.filter((day) => day >= first && day <= last)
    found.push({
      name: `marks from ${first} to ${last}`,
      actual: await get('event/history', { select_mode, select_data, year: 2026 }),
      expected: model.marks(child, days),
    })
  }
  return found
}

test('chart, calendar and day agree with a plain model after any history', async () => {
  expect.hasAssertions()
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 40, size: 'max' }), async (steps) => {
      const family = await newFamily()
      const model = new Model()
      for (const step of steps) await step(family, model)
      for (const child of [0, 1]) {
        for (const { name, actual, expected } of await outputs(family, model, child)) {
          expect({ name, output: actual }).toEqual({ name, output: expected })
        }
      }
    }),
    { numRuns: 12, interruptAfterTimeLimit: 90_000, markInterruptAsFailure: false },
  )
})
