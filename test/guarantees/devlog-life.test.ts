import * as fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { restoreDevlogs } from '@companion/server/devlogs/devlog-deletion.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { OPERATOR } from '../support/operator.ts'
import { useServer } from '../support/server.ts'
import { liveRecords } from '../support/treatments.ts'

const server = useServer()
let token: string
beforeAll(async () => {
  ;({ token } = await signUp(server))
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
    const same = this.live.find(({ date, file }) => date === log.date && file === log.file)
    if (log.temp && this.live.some(({ date, temp }) => date === log.date && !temp)) return
    if (same && (!same.temp || log.temp)) return
    if (!log.temp) this.live = this.live.filter(({ date, temp }) => date !== log.date || !temp)
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
          await server.delete('/api/v1/gamma/device/devlog', { query: { unique_id } })
          model.delete()
        } else if (each === 'restore') {
          await server.database.transaction((sql) =>
            restoreDevlogs(sql, { uniqueId: unique_id, operator: OPERATOR }),
          )
          model.restore()
        } else {
          const items = each.map(({ date, file, time, temp }) =>
            devlogItem(unique_id, date, { log_file_id: file, treatment_time: time, is_temp: temp }),
          )
          // An impatient device sends again before the answer has come.
          const answers = await Promise.all(
            Array.from({ length: impatient ? 3 : 1 }, () => upload(server, items)),
          )
          if (answers.some(({ status }) => status !== 200)) throw new Error(JSON.stringify(answers))
          model.upload(each)
        }
        expect(await liveRecords(server, unique_id)).toEqual(model.records())
      }
    }),
    { numRuns: 60 },
  )
})
