import { setTimeout } from 'node:timers/promises'

/** The time zone of the service, its demo family and the phones. */
export const HOME_TIME_ZONE = 'America/New_York'

const MINUTE = 60_000

/** The date at home. */
export const dateAtHome = (time: Date) =>
  new Intl.DateTimeFormat('en-CA', { timeZone: HOME_TIME_ZONE }).format(time)

/** The time of day at home, to the second. */
export const timeOfDayOf = (time: Date) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: HOME_TIME_ZONE, timeStyle: 'medium' }).format(time)

/** The date of the last complete night. */
export const lastNightDate = (): string => daysAgo(1)

/** The date of the night before the last complete one. */
export const nightBeforeLast = (): string => daysAgo(2)

function daysAgo(days: number): string {
  const noon = new Date(`${dateAtHome(new Date())}T12:00:00Z`)
  return new Date(noon.getTime() - days * 24 * 60 * MINUTE).toISOString().slice(0, 10)
}

/** A date as the app writes it. */
export const formatFullDay = (time: Date) =>
  new Intl.DateTimeFormat('en', {
    weekday: 'long',
    month: 'long',
    day: 'numeric',
    timeZone: HOME_TIME_ZONE,
  }).format(time)

/** A minute before the coming midnight, and a minute after it. */
export function aroundMidnight(): [Date, Date] {
  const date = dateAtHome(new Date())
  // Clocks change early in the morning, so the afternoon has the same offset as the coming midnight.
  const zone = new Intl.DateTimeFormat('en', { timeZone: HOME_TIME_ZONE, timeZoneName: 'longOffset' })
    .formatToParts(new Date(`${date}T20:00:00Z`))
    .find(({ type }) => type === 'timeZoneName')
  const evening = new Date(`${date}T23:59:00${zone?.value.slice(3)}`)
  return [evening, new Date(evening.getTime() + 2 * MINUTE)]
}

/** Waits for the next day if too little of this one is left to tell the whole story. */
export async function enoughOfToday(): Promise<void> {
  const left = aroundMidnight()[0].getTime() + MINUTE - Date.now()
  if (left < 4 * MINUTE) await setTimeout(left + 1_000)
}
