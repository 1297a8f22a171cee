import type { Companion, TreatmentPage } from '@companion/sdk'
import { wallClock } from '../time/dates'
import type { CalendarDate } from '../time/dates'

type Listed = TreatmentPage['items'][number]

/** One use of the device, as small as the screens need it: a phone keeps a month of them. */
export interface UsageRecord {
  id: number
  /** The device's wall clock, ISO 8601 without zone. */
  start: string
  seconds: number
  /** One value every 6 minutes. */
  intensities: number[]
  lastIntensity: number
  movement: number
  /** Why it ended; see `finish_flag` in the contract. Not known of a use whose last log has not arrived. */
  ended: Listed['finish_flag'] | undefined
}

const usageRecord = (item: Listed): UsageRecord => ({
  id: item.treatment_id,
  start: item.treatment_date,
  seconds: item.treatment_time,
  intensities: item.intensity_record.map(({ intensity }) => intensity),
  lastIntensity: item.last_intensity,
  movement: item.movement,
  ended: item.is_temp ? undefined : item.finish_flag,
})

/** Whether the calendar counts this use, which it does from 2 minutes on. */
const counts = ({ ended, seconds }: UsageRecord) => ended === undefined || seconds >= 120

export const isOpen = ({ ended }: UsageRecord) => ended === undefined

/** A device tells of a running use every few minutes: after 12 hours of silence it has ended. */
const LONGEST_SILENCE_MS = 12 * 3_600_000
const time = (moment: string) => Date.parse(`${moment.slice(0, 19)}Z`)

/** Whether a use goes on, as far as is known. */
export const isRunning = (record: UsageRecord, now = new Date()): boolean =>
  isOpen(record) && time(wallClock(now)) - time(record.start) - 1_000 * record.seconds <= LONGEST_SILENCE_MS

/** Whether a use has ended without its last log: it lasted at least as long as is known. */
export const isCutShort = (record: UsageRecord, now = new Date()): boolean =>
  isOpen(record) && !isRunning(record, now)

export const lostContact = ({ ended }: UsageRecord) => ended === '4'

interface Window {
  real_user_id: number
  start_date: CalendarDate
  end_date: CalendarDate
}

/** What the calendar counts in this window, all pages of it, ascending. */
export async function readRecords(
  companion: { treatments: Pick<Companion['treatments'], 'list'> },
  window: Window,
  signal: AbortSignal,
): Promise<UsageRecord[]> {
  const found: UsageRecord[] = []
  let after: string | undefined
  do {
    const page = await companion.treatments.list(
      { ...window, limit: 500, ...(after === undefined ? {} : { after }) },
      { signal },
    )
    found.push(...page.items.map(usageRecord).filter(counts))
    after = page.next ?? undefined
  } while (after !== undefined)
  return found
}
