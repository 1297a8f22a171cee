const DURATION =
  /^(?<sign>[+-]?)P(?:(?<weeks>[+-]?\d+)W)?(?:(?<days>[+-]?\d+)D)?(?:T(?=.)(?:(?<hours>[+-]?\d+)H)?(?:(?<minutes>[+-]?\d+)M)?(?:(?<seconds>[+-]?\d+)S)?)?$/
const SECONDS = { weeks: 604_800, days: 86_400, hours: 3600, minutes: 60, seconds: 1 }

/**
 * Returns the seconds of an ISO 8601 duration of weeks, days, hours, minutes and seconds, such as `P1DT30M`, with a sign
 * before the whole (`-PT9H`) or before a number (`PT-9H`). Undefined for anything else: years and months have no fixed
 * length.
 */
export function durationSeconds(text: string): number | undefined {
  const parts = DURATION.exec(text)?.groups
  if (!parts || !/\d/.test(text)) return undefined
  const seconds = Object.entries(SECONDS).reduce(
    (sum, [unit, each]) => sum + Number(parts[unit] ?? 0) * each,
    0,
  )
  return parts['sign'] === '-' ? -seconds : seconds
}
