import type { DevlogItem } from './item.ts'
import { makeNight, SESSIONS_PER_NIGHT } from './night.ts'
import { createRandom } from './random.ts'
import { dateOfDay, dayNumber, wallClock } from './wall-clock.ts'

/** What {@link makeNights} needs to know. */
export interface NightsOptions {
  /** Decides every night; the same seed gives the same nights, whatever the device and the window. */
  seed: number
  /** Calendar nights up to and including `until`. About one in ten of them is missed and yields no item. */
  nights: number
  /** The last date, `yyyy-mm-dd`. No item carries a later one. */
  until: string
  /** The device's uuid, copied into every item. */
  uniqueId: string
}

/** The service refuses earlier records as those of a device whose clock was lost. */
const FIRST_DATE = '2015-01-01'

/**
 * The logs a device writes over a number of nights, ready for upload, oldest first, with rising
 * `log_file_id`.
 *
 * Each night depends on the seed and its own date alone. So overlapping windows contain identical records,
 * and running the bench again a day later uploads the old nights as what they are: retries.
 */
export function makeNights({ seed, nights, until, uniqueId }: NightsOptions): DevlogItem[] {
  if (!Number.isSafeInteger(nights) || nights < 1) throw new RangeError(`Not a number of nights: ${nights}`)
  const last = dayNumber(until)
  const first = last - nights + 1
  if (first < dayNumber(FIRST_DATE)) throw new RangeError(`No night lies before ${FIRST_DATE}`)

  const plateau = createRandom(seed, 'plateau').integer(18, 40)
  const items: DevlogItem[] = []
  for (let day = first; day <= last; day += 1) {
    const date = dateOfDay(day)
    for (const [index, session] of makeNight(plateau, createRandom(seed, 'night', date)).entries()) {
      items.push({
        unique_id: uniqueId,
        log_file_id: (day - dayNumber(FIRST_DATE)) * SESSIONS_PER_NIGHT + index + 1,
        detail_data: {
          treatment_date: wallClock(date, session.start),
          treatment_time: session.treatmentTime,
          last_intensity: session.intensities.at(-1) ?? 0,
          finish_flag: session.finishFlag,
          ...(session.movement === undefined ? {} : { movement: session.movement }),
        },
        intensity_record: session.intensities.map((intensity) => ({ intensity })),
      })
    }
  }

  // A second session after midnight belongs to the date it started on, which may lie beyond the window.
  return items.filter((item) => item.detail_data.treatment_date.slice(0, 10) <= until)
}
