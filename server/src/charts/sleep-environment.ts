/**
 * SQL of a mean to one decimal. Rounding to nine decimals first removes binary noise, so that 21.25 is an exact half.
 */
const tenths = (column: string) => `round(round(avg(${column})::numeric, 9), 1)::float8`

/** SQL that aggregates a date's readings of one base station. Summing them as numeric would cost ten times as much. */
export const SLEEP_ENVIRONMENT = `${tenths('temperature')} AS temperature, ${tenths('humidity')} AS humidity,
         round(avg(brightness))::int AS brightness, round(avg(noise))::int AS noise`
