import type { Random } from './random.ts'

/** Why a session ended, by number of the contract: normal, button, faulty contacts, charger plugged in. */
type FinishFlag = '1' | '2' | '4' | '5'

/**
 * One use of the device. `start` is in seconds after midnight of the night's date (from 86,400 on it lies on the next
 * date). `treatmentTime` is in seconds. `intensities` holds one value for each started six minutes. `movement` is
 * absent when the firmware did not report it.
 */
export interface Session {
  start: number
  treatmentTime: number
  finishFlag: FinishFlag
  intensities: number[]
  movement?: number
}

/** Most sessions of a night: a second one follows a contact loss. */
export const MAX_SESSIONS_PER_NIGHT = 2

const MINUTE = 60
const HOUR = 3600
const SAMPLE = 6 * MINUTE
const EARLIEST_START = 20.5 * HOUR
const LATEST_START = 23.5 * HOUR
const LONGEST_NIGHT = 8 * HOUR

/**
 * Makes the sessions of one night, in order; none when the child did not wear the device. `plateau` is the intensity
 * that the child is used to.
 */
export function makeNight(plateau: number, random: Random): Session[] {
  if (random.chance(0.1)) return []

  const first = makeSession(random.integer(EARLIEST_START, LATEST_START), LONGEST_NIGHT, plateau, random)
  if (first.finishFlag !== '4' || !random.chance(0.7)) return [first]

  // Somebody noticed the issue, fixed the electrodes and started again, perhaps after midnight.
  const pause = random.integer(2 * MINUTE, 25 * MINUTE)
  const left = LONGEST_NIGHT - first.treatmentTime
  return [first, makeSession(first.start + first.treatmentTime + pause, left, plateau, random)]
}

function makeSession(start: number, longest: number, plateau: number, random: Random): Session {
  const finishFlag = chooseFinishFlag(random)
  const treatmentTime = Math.min(longest, chooseTreatmentTime(finishFlag, random))
  const intensities = makeIntensities(Math.ceil(treatmentTime / SAMPLE), plateau, random)
  const session: Session = { start, treatmentTime, finishFlag, intensities }
  const perHour = random.integer(2, 25)
  if (random.chance(0.7)) session.movement = Math.round((perHour * treatmentTime) / HOUR)
  return session
}

function chooseFinishFlag(random: Random): FinishFlag {
  const roll = random.next()
  if (roll < 0.82) return '1'
  if (roll < 0.92) return '4'
  return roll < 0.97 ? '2' : '5'
}

function chooseTreatmentTime(finishFlag: FinishFlag, random: Random): number {
  if (finishFlag === '1') return random.integer(5.5 * HOUR, 8 * HOUR)
  if (finishFlag === '4') return random.integer(5 * MINUTE, 4 * HOUR)
  if (finishFlag === '5') return random.integer(HOUR, 6 * HOUR)
  // A quarter of the button stops come too early for the calendar to count them (under 120 s).
  return random.chance(0.25) ? random.integer(15, 119) : random.integer(10 * MINUTE, 6 * HOUR)
}

/** Half an hour of ramp, then a plateau with an occasional step up or down. */
export function makeIntensities(count: number, plateau: number, random: Random): number[] {
  const target = plateau + random.integer(-3, 3)
  const rampSteps = random.integer(4, 6)
  return Array.from({ length: count }, (_, index) => {
    if (index < rampSteps) return Math.round((target * (index + 1)) / (rampSteps + 1))
    return random.chance(0.15) ? target + random.integer(-1, 1) : target
  })
}
