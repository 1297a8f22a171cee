import { isDevlogItem } from './item.ts'
import type { DevlogItem } from './item.ts'

/** A mistake of a device, with the upload and item (counted from 1) in which it shows. */
export interface Finding {
  /** `error`: the service refuses the item or counts it wrongly; `doubt`: the service stores it, but it is probably wrong. */
  kind: 'error' | 'doubt'
  upload: number
  item: number | null
  problem: string
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const WALL_CLOCK = /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,6})?)?$/
const ZONE = /(Z|[+-]\d{2}:?\d{2})$/
const FIRST_DATE = '2015-01-01'
const TOLERANCE_MS = 48 * 3_600_000
const SAMPLE_SECONDS = 360
/** Nobody takes a device off and starts it again within this time. */
const SAME_USE_MS = 60_000
const MOST_ITEMS = 1000
const MOST_BYTES = 5_000_000

/**
 * Checks the uploads of a device against the rules of the service, without a service. The uploads are in the order they
 * were sent, including retries. `now` is the true time, to compare with the device's clock.
 */
export function checkUploadRules(uploads: readonly (readonly unknown[])[], now: Date): Finding[] {
  const findings: Finding[] = []
  const seen = new Map<string, string>()
  const latest = new Map<string, DevlogItem>()
  /** The last temporary record of each device, until its use is complete. */
  const running = new Map<string, DevlogItem>()
  for (const [n, items] of uploads.entries()) {
    const upload = n + 1
    const say = (kind: Finding['kind'], item: number | null, problem: string) =>
      void findings.push({ kind, upload, item, problem })
    if (items.length > MOST_ITEMS)
      say('error', null, `${items.length} items; the service takes ${MOST_ITEMS}`)
    if (Buffer.byteLength(JSON.stringify(items)) > MOST_BYTES) say('error', null, 'more than 5 MB')
    for (const [index, value] of items.entries()) {
      const item = index + 1
      if (!isDevlogItem(value)) {
        say('error', item, 'a field is missing or has a wrong type, see "One upload by hand" in the README')
        continue
      }
      for (const [kind, problem] of issuesOf(value, now)) say(kind, item, problem)
      const { unique_id, log_file_id, detail_data } = value
      const device = unique_id.toLowerCase()
      const record = `${device} ${log_file_id} ${detail_data.treatment_date}`
      const content = JSON.stringify({ ...value, unique_id: device })
      const before = seen.get(record)
      if (value.is_temp !== true) {
        if (before !== undefined && before !== content)
          say(
            'error',
            item,
            'a retry must repeat the record unchanged; this one differs, and the service keeps the first',
          )
        if (before === undefined) seen.set(record, content)
      }
      const use = running.get(device)
      if (use && isNewStart(value, use))
        say(
          'error',
          item,
          `device ${device} sends its running use under a new start: it began at ${use.detail_data.treatment_date}, and the service counts both`,
        )
      if (use && isSameStart(value, use) && value.is_temp === true && isNoGrowth(value, use))
        say(
          'doubt',
          item,
          'a temporary record came again with other values but no longer; the service keeps the first',
        )
      if (value.is_temp === true) running.set(device, value)
      else if (use && (isSameStart(value, use) || isNewStart(value, use))) running.delete(device)
      const last = latest.get(device)
      if (
        last &&
        log_file_id > last.log_file_id &&
        detail_data.treatment_date < last.detail_data.treatment_date
      ) {
        say(
          'doubt',
          item,
          `log ${log_file_id} starts before log ${last.log_file_id}: was the clock set back?`,
        )
      }
      if (!last || log_file_id > last.log_file_id) latest.set(device, value)
    }
  }
  return findings
}

const startOf = ({ detail_data }: DevlogItem) => Date.parse(`${detail_data.treatment_date}Z`)
const endOf = (item: DevlogItem) => startOf(item) + 1000 * item.detail_data.treatment_time

const isSameStart = (item: DevlogItem, use: DevlogItem) =>
  item.detail_data.treatment_date === use.detail_data.treatment_date

/** Whether a record is of the time of a use that goes on, or of the time right after what was sent of it. */
const isNewStart = (item: DevlogItem, use: DevlogItem) =>
  !isSameStart(item, use) &&
  startOf(item) <= endOf(use) + SAME_USE_MS &&
  startOf(use) <= endOf(item) + SAME_USE_MS

const isNoGrowth = (item: DevlogItem, use: DevlogItem) =>
  item.detail_data.treatment_time <= use.detail_data.treatment_time &&
  JSON.stringify({ ...item, log_file_id: 0 }) !== JSON.stringify({ ...use, log_file_id: 0 })

const isIntensity = (value: number) => value >= 0 && value <= 32_767

function issuesOf(
  { unique_id, detail_data, intensity_record }: DevlogItem,
  now: Date,
): [Finding['kind'], string][] {
  const { treatment_date: date, treatment_time, last_intensity, finish_flag } = detail_data
  const intensities = intensity_record.map(({ intensity }) => intensity)
  const issues: [Finding['kind'], string | false][] = [
    ['error', !UUID.test(unique_id) && 'unique_id is not a uuid'],
    ['error', ZONE.test(date) && 'treatment_date has a time zone; send the wall clock without one'],
    ['error', !ZONE.test(date) && !WALL_CLOCK.test(date) && 'treatment_date is not yyyy-mm-ddThh:mm:ss'],
    ['error', date < FIRST_DATE && `treatment_date is before ${FIRST_DATE}: the clock was reset`],
    [
      'error',
      Date.parse(`${date.slice(0, 19)}Z`) > now.getTime() + TOLERANCE_MS &&
        'treatment_date is more than 48 hours ahead: the clock is wrong',
    ],
    ['error', (treatment_time < 0 || treatment_time > 86_400) && 'treatment_time is not 0 to 86400 seconds'],
    ['error', !/^[1-6]$/.test(String(finish_flag)) && 'finish_flag is not 1 to 6'],
    ['error', ![last_intensity, ...intensities].every(isIntensity) && 'an intensity is not 0 to 32767'],
    ['error', intensities.length > 240 && `${intensities.length} intensities; a day has 240`],
    [
      'doubt',
      intensities.length !== Math.ceil(treatment_time / SAMPLE_SECONDS) &&
        `${intensities.length} intensities in ${treatment_time} s; one per started 6 minutes would be ${Math.ceil(treatment_time / SAMPLE_SECONDS)}`,
    ],
    [
      'doubt',
      intensities.length > 0 &&
        intensities.at(-1) !== last_intensity &&
        `last_intensity is ${last_intensity}, but the last recorded value is ${intensities.at(-1)}`,
    ],
  ]
  return issues.flatMap(([kind, problem]): [Finding['kind'], string][] => (problem ? [[kind, problem]] : []))
}
