import { minuteRangeOf } from './night'
import type { Night } from './night'
import { lostContact } from './record'

/** Minutes from noon to 20:00 and to 08:00, between which most nights lie. */
const EVENING = 8 * 60
const MORNING = 20 * 60
const HOUR = 60
/** The device records one intensity in this time. */
const SAMPLE = 6

/** A time of equal intensity: minutes from noon, and its share of the night's greatest intensity. */
export interface Stretch {
  from: number
  to: number
  share: number
}

export interface Strip {
  /** Minutes from noon of the evening, in whole hours. */
  from: number
  to: number
  /** The uses, ascending; each without a gap in it. */
  uses: Stretch[][]
  /** When the electrodes lost contact. */
  losses: number[]
  /** The hours to be written below: minutes from noon. */
  marks: number[]
}

/** The picture of a night, from evening to morning; longer if the device was used earlier or later. */
export function nightTimeline(night: Night): Strip {
  const uses = night.records.map((record) => ({ record, ...minuteRangeOf(night.date, record) }))
  const from = Math.min(EVENING, ...uses.map((use) => Math.floor(use.from / HOUR) * HOUR))
  const to = Math.max(MORNING, ...uses.map((use) => Math.ceil(use.to / HOUR) * HOUR))
  const greatest = Math.max(1, ...uses.flatMap(({ record }) => record.intensities))
  return {
    from,
    to,
    uses: uses.map((use) => stretchesOf(use, use.record.intensities, greatest)),
    losses: uses.filter(({ record }) => lostContact(record)).map((use) => use.to),
    // The names of more hours would lie over each other.
    marks: Array.from({ length: (to - from) / HOUR + 1 }, (_, hour) => from + hour * HOUR).filter(
      (minute) => minute % ((to - from > 16 * HOUR ? 8 : 4) * HOUR) === 0,
    ),
  }
}

function stretchesOf(
  use: { from: number; to: number },
  intensities: readonly number[],
  greatest: number,
): Stretch[] {
  // A record may lack the intensities of its end, or all of them. The device was used then, too.
  const count = Math.max(1, Math.ceil((use.to - use.from) / SAMPLE))
  const found: Stretch[] = []
  for (let index = 0; index < count; index++) {
    const share = (intensities[index] ?? 0) / greatest
    const to = Math.min(use.to, use.from + (index + 1) * SAMPLE)
    const open = found.at(-1)
    if (open?.share === share) open.to = to
    else found.push({ from: use.from + index * SAMPLE, to, share })
  }
  return found
}
