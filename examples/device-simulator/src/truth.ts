import { isDevlogItem } from './item.ts'
import type { DevlogItem } from './item.ts'

/**
 * The true sums of one date. `treatment_time` (seconds) and `movement` are sums, `intensities` holds the last
 * intensity of each session in the order they started, `sessions` is the number of sessions.
 */
export interface DayTruth {
  date: string
  treatment_time: number
  movement: number
  intensities: number[]
  sessions: number
}

/**
 * Sums records per date, ascending, without asking the server, so that the charts of the server can be compared with
 * the result.
 *
 * A record that occurs twice (same device, `log_file_id` and `treatment_date`) counts once. Of temporary records of the same
 * device and start only the longest counts, and none if there is a complete one. Values that are not items do not count.
 */
export function truthOf(items: readonly unknown[]): DayTruth[] {
  const days = new Map<string, DayTruth>()
  for (const { detail_data: detail } of distinctRecords(items.filter(isDevlogItem))) {
    const date = detail.treatment_date.slice(0, 10)
    const day = days.get(date) ?? { date, treatment_time: 0, movement: 0, intensities: [], sessions: 0 }
    days.set(date, day)
    day.treatment_time += detail.treatment_time
    day.movement += detail.movement ?? 0
    day.intensities.push(detail.last_intensity)
    day.sessions += 1
  }
  return [...days.values()].toSorted((a, b) => (a.date < b.date ? -1 : 1))
}

const start = (item: DevlogItem): string =>
  `${item.unique_id.toLowerCase()} ${item.detail_data.treatment_date}`

const isLonger = (item: DevlogItem, known: DevlogItem): boolean =>
  item.detail_data.treatment_time > known.detail_data.treatment_time

function distinctRecords(items: readonly DevlogItem[]): DevlogItem[] {
  const completed = new Set(items.filter((item) => item.is_temp !== true).map(start))
  const records = new Map<string, DevlogItem>()
  for (const item of items) {
    if (item.is_temp === true && completed.has(start(item))) continue
    const identity = `${start(item)} ${item.is_temp === true ? 'temporary' : item.log_file_id}`
    const known = records.get(identity)
    if (!known || (item.is_temp === true && isLonger(item, known))) records.set(identity, item)
  }
  return [...records.values()].toSorted((a, b) => {
    const [left, right] = [a.detail_data.treatment_date, b.detail_data.treatment_date]
    return left === right ? a.log_file_id - b.log_file_id : left < right ? -1 : 1
  })
}
