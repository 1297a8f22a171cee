import type { DevlogItem } from './item.ts'
import { makeNight, MAX_SESSIONS_PER_NIGHT } from './night.ts'
import { createRandom } from './random.ts'
import { dateOfDay, dayNumber, wallClockAtSecond } from './wall-clock.ts'

/** Input of {@link makeNights}. */
export interface NightsOptions {
  /** Decides every night. The same seed gives the same nights for any device and any window. */
  seed: number
  /** Number of calendar nights up to and including `until`. About one in ten is missed and gives no item. */
  nights: number
  /** The last date, `yyyy-mm-dd`. No item has a later one. */
  until: string
  /** The device's wall clock now. A use that ends later is left out. */
  now?: string
  /** The uuid of the device, copied into every item. */
  uniqueId: string
}

/** The service refuses earlier records, because the device must have lost its clock. */
export const FIRST_DATE = '2015-01-01'

/**
 * Makes the logs that a device writes over a number of nights, ready for upload: oldest first, with rising
 * `log_file_id`.
 *
 * Each night depends only on the seed and its own date. Overlapping windows therefore contain identical records: a
 * run a day later uploads the old nights again, as retries.
 */
export function makeNights({ seed, nights, until, now, uniqueId }: NightsOptions): DevlogItem[] {
  if (!Number.isSafeInteger(nights) || nights < 1)
    throw new RangeError(`The number of nights must be an integer from 1, not ${nights}`)
  const last = dayNumber(until)
  const first = last - nights + 1
  if (first < dayNumber(FIRST_DATE)) throw new RangeError(`No night may lie before ${FIRST_DATE}`)

  const plateau = createRandom(seed, 'plateau').integer(18, 40)
  const items: DevlogItem[] = []
  for (let day = first; day <= last; day += 1) {
    const date = dateOfDay(day)
    for (const [index, session] of makeNight(plateau, createRandom(seed, 'night', date)).entries()) {
      items.push({
        unique_id: uniqueId,
        log_file_id: (day - dayNumber(FIRST_DATE)) * MAX_SESSIONS_PER_NIGHT + index + 1,
        detail_data: {
          treatment_date: wallClockAtSecond(date, session.start),
          treatment_time: session.treatmentTime,
          last_intensity: session.intensities.at(-1) ?? 0,
          finish_flag: session.finishFlag,
          ...(session.movement === undefined ? {} : { movement: session.movement }),
        },
        intensity_record: session.intensities.map((intensity) => ({ intensity })),
      })
    }
  }

  // A second session after midnight belongs to the date it started on, which may lie outside the window.
  return items.filter(
    (item) =>
      item.detail_data.treatment_date.slice(0, 10) <= until && (now === undefined || endOf(item) <= now),
  )
}

const endOf = ({ detail_data: { treatment_date, treatment_time } }: DevlogItem) =>
  wallClockAtSecond(treatment_date.slice(0, 10), secondsOfDay(treatment_date) + treatment_time)

const secondsOfDay = (date: string) => (Date.parse(`${date}Z`) / 1000) % 86_400
