import * as fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { restoreDevlogs } from '@companion/server/devlogs/devlog-deletion.ts'
import { follow } from '../support/changes.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { connectBasestation } from '../support/basestations.ts'
import { OPERATOR } from '../support/operator.ts'
import { fetchReport, readFigures, REPORT } from '../support/report.ts'
import { useServer } from '../support/server.ts'
import { liveRecords } from '../support/treatments.ts'
import { serviceFor } from '../support/webhooks.ts'

const server = useServer()
let parent: Account
let token: string
beforeAll(async () => {
  parent = await signUp(server)
  token = parent.token
})

interface Log {
  date: string
  file: number
  time: number
  temp: boolean
}

/** The expected records of one device, by the rules alone and without SQL. */
class Model {
  live: (Log & { age: number })[] = []
  #deleted: Model['live'][] = []
  #age = 0

  upload(logs: Log[]): void {
    // Of one record sent twice at once, the complete one counts, else the first.
    for (const log of logs.toSorted((one, other) => Number(one.temp) - Number(other.temp))) this.#arrive(log)
  }

  #arrive(log: Log, age?: number): void {
    const ofUse = this.live.filter(({ date }) => date === log.date)
    const yields = log.temp
      ? ofUse.some((each) => !each.temp || each.time >= log.time)
      : ofUse.some((each) => !each.temp && each.file === log.file)
    if (yields) return
    const replaced = ofUse.filter(({ temp }) => temp)
    this.live = this.live.filter((each) => !replaced.includes(each))
    // A longer temporary record is the same record, whatever its number.
    const same = replaced.find(({ file }) => log.temp || file === log.file)
    this.live.push({ ...log, age: age ?? same?.age ?? (this.#age += 1) })
  }

  delete(): void {
    if (this.live.length > 0) this.#deleted.push(this.live)
    this.live = []
  }

  /** Each record arrives once more: the complete before the temporary, the newest first. */
  restore(): void {
    const logs = this.#deleted.splice(0).flat()
    for (const log of logs.toSorted(
      (one, other) => Number(one.temp) - Number(other.temp) || other.age - one.age,
    )) {
      this.#arrive(log, log.age)
    }
  }

  records(): string[] {
    return this.live
      .toSorted((one, other) => one.date.localeCompare(other.date) || one.file - other.file)
      .map(({ date, file, time, temp }) => `${date} #${file} ${time}s${temp ? ' temp' : ''}`)
  }
}

async function deleteAll(unique_id: string): Promise<void> {
  const { status } = await server.delete('/api/v1/gamma/device/devlog', { query: { unique_id } })
  if (status !== 200 && status !== 404) throw new Error(`Logs not deleted: ${status}`)
}
const restoreAll = (unique_id: string) =>
  server.database.transaction((sql) => restoreDevlogs(sql, { uniqueId: unique_id, operator: OPERATOR }))

/** What a record says beside its length depends on its length and number, so that each can be told from the others. */
const saying = ({ file, time }: Pick<Log, 'file' | 'time'>) => ({
  last_intensity: (time + file) % 60,
  movement: (7 * time + file) % 97,
  finish_flag: String(1 + ((time + file) % 6)),
})

const itemOf = (unique_id: string, log: Log) =>
  devlogItem(unique_id, log.date, {
    log_file_id: log.file,
    treatment_time: log.time,
    is_temp: log.temp,
    ...saying(log),
  })

const log = fc.record({
  date: fc.constantFrom('2026-03-01T20:00:00', '2026-03-02T20:00:00', '2026-03-03T20:00:00'),
  file: fc.integer({ min: 1, max: 3 }),
  time: fc.integer({ min: 0, max: 9999 }),
  temp: fc.boolean(),
})
const step = fc.oneof(
  { weight: 6, arbitrary: fc.array(log, { minLength: 1, maxLength: 6 }) },
  { weight: 2, arbitrary: fc.constant('delete' as const) },
  { weight: 2, arbitrary: fc.constant('restore' as const) },
)

test('any interleaving of uploads, retries, temporary records, deletions, restores and re-uploads is what the model says', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), fc.boolean(), async (steps, impatient) => {
      const { unique_id } = await addChild(server, token)
      const model = new Model()
      for (const each of steps) {
        if (each === 'delete') {
          await deleteAll(unique_id)
          model.delete()
        } else if (each === 'restore') {
          await restoreAll(unique_id)
          model.restore()
        } else {
          const items = each.map((record) => itemOf(unique_id, record))
          // An impatient device sends again before the response has come.
          const responses = await Promise.all(
            Array.from({ length: impatient ? 3 : 1 }, () => upload(server, items)),
          )
          if (responses.some(({ status }) => status !== 200)) throw new Error(JSON.stringify(responses))
          model.upload(each)
        }
        expect(await liveRecords(server, unique_id)).toEqual(model.records())
      }
    }),
    { numRuns: 60 },
  )
})

/*
 * 10,000 uses, each with an order of its own: growing, repeated, shorter, renumbered, complete and temporary records,
 * deleted and restored in between. A device has a use on each day of a month, and many devices upload together.
 */

const USES = Number(process.env['RECORD_ORDERS'] ?? 300)
const SEED = Number(process.env['RECORD_ORDERS_SEED'] ?? 46)
const ROUNDS = 12
/** The devices whose records one upload brings. */
const TOGETHER = 30
/** One child in this many gets a report, which costs as much as all else. */
const CHILDREN_A_REPORT = USES > 1000 ? 1 : 10
const DAYS = Array.from({ length: 30 }, (_, day) => `2026-04-${String(day + 1).padStart(2, '0')}`)

const anyRecords = fc.array(
  fc.record({
    // Few numbers and lengths, so that many records are repeated, shorter, or as long under another number.
    file: fc.integer({ min: 1, max: 3 }),
    time: fc.constantFrom(0, 60, 119, 120, 360, 720, 1080, 14_400, 21_960),
    temp: fc.constantFrom(true, true, true, false),
  }),
  { minLength: 1, maxLength: 3 },
)
const anyUploads = fc.array(fc.option(anyRecords, { freq: 2 }), { minLength: 30, maxLength: 30 })
const anyRound = fc.oneof(
  { weight: 6, arbitrary: anyUploads },
  { weight: 1, arbitrary: fc.constant('delete' as const) },
  { weight: 1, arbitrary: fc.constant('restore' as const) },
)

const tenths = (sum: number, count: number) => Math.round((10 * sum) / count) / 10
const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)

/** What charts, calendar, days and report show of these records. */
function shownOf(records: readonly Log[]) {
  const days = DAYS.map((day) => {
    const ofDay = records.filter(({ date }) => date.startsWith(day))
    const said = ofDay.map(saying)
    return {
      day,
      uses: ofDay.length,
      counted: ofDay.filter(({ temp, time }) => temp || time >= 120),
      treatment_time: total(ofDay.map(({ time }) => time)),
      last_intensity:
        ofDay.length === 0 ? 0 : tenths(total(said.map((each) => each.last_intensity)), ofDay.length),
      movement: total(said.map(({ movement }) => movement)),
      issues: ofDay.filter((each) => !each.temp && saying(each).finish_flag === '4').length,
    }
  })
  const chart = (shown: typeof days) => ({
    treatment_time_data: shown.map(({ day, treatment_time }) => ({ treatment_date: day, treatment_time })),
    treatment_intensity_data: shown.map(({ day, last_intensity }) => ({
      treatment_date: day,
      last_intensity,
    })),
    movement_data: shown.map(({ day, movement }) => ({ treatment_date: day, movement })),
  })
  const used = days.filter(({ uses }) => uses > 0)
  return {
    recent: chart(used),
    analysis: chart(days),
    marked: days.flatMap(({ day, counted }) => (counted.length > 0 ? [day] : [])),
    days: days.map(({ counted }) =>
      counted
        .map((each) => `${each.date} ${each.time} ${saying(each).last_intensity} ${each.temp}`)
        .toSorted(),
    ),
    report: used.map(({ day, uses, treatment_time, last_intensity, movement, issues }) => [
      day,
      String(uses),
      '21:30',
      `${Math.floor(treatment_time / 3600)}:${String(Math.floor(treatment_time / 60) % 60).padStart(2, '0')}`,
      last_intensity.toFixed(1),
      movement.toLocaleString('en-US'),
      String(issues),
    ]),
  }
}

/** The records as a list of texts that say all of each. */
const told = (records: readonly Log[]) =>
  records
    .map((each) => {
      const { last_intensity, movement, finish_flag } = saying(each)
      return [each.date, each.file, each.time, each.temp, last_intensity, movement, finish_flag].join(' ')
    })
    .toSorted()

test(
  `${USES} uses in random orders: charts, calendar, days, list, report and feed are what the model says`,
  async () => {
    const plans = fc.sample(fc.array(anyRound, { minLength: ROUNDS, maxLength: ROUNDS }), {
      numRuns: Math.ceil(USES / DAYS.length),
      seed: SEED,
    })
    const { basestation_id } = await connectBasestation(server, token)
    const families: (Awaited<ReturnType<typeof addChild>> & {
      plan: (typeof plans)[number]
      model: Model
    })[] = []
    for (const plan of plans) families.push({ ...(await addChild(server, token)), plan, model: new Model() })
    await server.database.pool.query(`UPDATE device_history SET since = '2026-03-31T17:00:00Z'`)
    // The feed tells of children that are granted to somebody.
    await serviceFor(
      server,
      parent,
      families.map(({ real_user_id }) => real_user_id),
    )

    let cursor: string | undefined = 'latest'
    /** What a reader keeps who reads a record again only when the feed tells of it. */
    const kept = new Map<number, { child: number; record: string }>()
    const readAgain = async () => {
      const { items, next } = await follow(server, token, cursor, 1000)
      cursor = next
      const ids = items.map(({ id }) => id)
      const { rows } = await server.database.pool.query<{ id: string; child: number; record: string }>(
        `SELECT id, real_user_id AS child, concat_ws(' ', to_json(treatment_date) #>> '{}', log_file_id, treatment_time,
         is_temp::text, last_intensity, movement, finish_flag) AS record
       FROM treatment WHERE id = ANY ($1) AND real_user_id = ANY ($2) AND deleted_at IS NULL`,
        [ids, families.map(({ real_user_id }) => real_user_id)],
      )
      for (const { id, kind } of items) if (kind === 'treatment.deleted') kept.delete(id)
      for (const { id, ...row } of rows) kept.set(Number(id), row)
    }
    await readAgain()

    for (let round = 0; round < ROUNDS; round++) {
      const uploads: { items: ReturnType<typeof itemOf>[] }[] = []
      for (const { unique_id, plan, model } of families) {
        const each = plan[round]
        if (each === 'delete') {
          await deleteAll(unique_id)
          model.delete()
        } else if (each === 'restore') {
          await restoreAll(unique_id)
          model.restore()
        } else if (each) {
          const logs = each.flatMap((records, day) =>
            (records ?? []).map((record) => ({ ...record, date: `${DAYS[day]}T21:30:00` })),
          )
          uploads.push({ items: logs.map((record) => itemOf(unique_id, record)) })
          model.upload(logs)
        }
      }
      for (let first = 0; first < uploads.length; first += TOGETHER) {
        const items = uploads.slice(first, first + TOGETHER).flatMap((upload) => upload.items)
        const response = await upload(server, items)
        if (response.status !== 200) throw new Error(JSON.stringify(response))
      }
      await readAgain()
    }

    // Most uses have records in the end, of both kinds.
    const live = families.flatMap(({ model }) => model.live)
    expect(Math.min(live.length, 4 * live.filter(({ temp }) => temp).length)).toBeGreaterThan(USES / 2)

    for (const [n, { real_user_id, model }] of families.entries()) {
      const get = async (path: string, query: object) => {
        const { status, body } = await server.get(`/api/v1/beta/${path}`, {
          token,
          query: { real_user_id, ...query },
        })
        if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
        return body
      }
      const expected = shownOf(model.live)
      const list = await get('treatment', { start_date: DAYS[0], end_date: DAYS.at(-1), limit: 500 })
      const seen = {
        list: list.items
          .map((each: any) =>
            [each.treatment_date, each.log_file_id, each.treatment_time, each.is_temp, each.last_intensity]
              .concat(each.movement, each.finish_flag)
              .join(' '),
          )
          .toSorted(),
        feed: [...kept.values()]
          .flatMap(({ child, record }) => (child === real_user_id ? [record] : []))
          .toSorted(),
        recent: await get('chart/recent', { select_mode: 1, current_date: DAYS.at(-1) }),
        analysis: await get('chart/analysis', { select_mode: 1, current_date: DAYS.at(-1) }),
        marked: (await get('event/history', { select_mode: 1, select_data: 4, year: 2026 })).map(
          ({ date }: { date: string }) => date,
        ),
        days: [] as string[][],
      }
      for (const event_date of DAYS) {
        const { treatment_data } = await get('event', { event_date })
        seen.days.push(
          treatment_data
            .map((each: any) =>
              [each.treatment_date, each.treatment_time, each.last_intensity, each.is_temp].join(' '),
            )
            .toSorted(),
        )
      }
      const { report, ...shown } = expected
      const place = `device ${n} of seed ${SEED}`
      expect({ place, ...seen }).toMatchObject({
        place,
        ...shown,
        list: told(model.live),
        feed: told(model.live),
      })
      if (n % CHILDREN_A_REPORT > 0) continue
      const query = {
        real_user_id,
        basestation_id,
        start_date: DAYS[0] ?? '',
        end_date: DAYS[29] ?? '',
        language: 'EN',
      }
      const { bytes } = await fetchReport(server, REPORT, token, query)
      const { nights } = await readFigures(bytes)
      const rows = [...nights].flatMap(([date, cells]) =>
        cells[0] === '–' ? [] : [[date, ...cells.slice(0, 6)]],
      )
      expect({ place, report: rows }).toEqual({ place, report })
    }
  },
  Math.max(300_000, 200 * USES),
)
