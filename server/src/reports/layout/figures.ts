import { wholeMinutes } from '../../time/whole-minutes.ts'
import type { Words } from '../languages/words.ts'
import type { NightGoal } from '../night-goals.ts'

/** Formats seconds as hours and whole minutes in words. */
export function duration(seconds: number, words: Words): string {
  const minutes = wholeMinutes(seconds)
  return words.hoursAndMinutes(Math.floor(minutes / 60), minutes % 60)
}

/** Formats a goal in minutes, which is mostly of whole hours. */
export const goalText = (minutes: number, words: Words): string =>
  minutes % 60 === 0 ? words.hours(minutes / 60) : duration(60 * minutes, words)

/** Formats the goals of a period as the least and the highest, or as one if they are alike. */
export function goalRange(goals: readonly NightGoal[], words: Words): string {
  const minutes = goals.map((goal) => goal.minutes)
  const [least, most] = [Math.min(...minutes), Math.max(...minutes)]
  return least === most ? goalText(least, words) : `${goalText(least, words)} – ${goalText(most, words)}`
}

/** Formats seconds as `h:mm`, in whole minutes. */
export function hourMinute(seconds: number): string {
  const minutes = wholeMinutes(seconds)
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`
}

/** Formats minutes after midnight as `hh:mm`. */
export const formatClockTime = (minutes: number) =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':')

/** Formats a number with one decimal, its thousands grouped: `1,777.0`; halves are rounded up. */
export const decimal = (value: number) => formatThousands((Math.round(value * 10 + 1e-9) / 10).toFixed(1))

/** Groups the integer digits by three: `12,345.6`. */
export const formatThousands = (value: number | string) =>
  String(value).replaceAll(/\B(?<!\.\d*)(?=(\d{3})+(\.|$))/g, ',')
