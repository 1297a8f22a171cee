/** A mean to one decimal. Its own rounding to nine takes the noise of binary fractions away: 21.25 is a half. */
const tenths = (column: string) => `round(round(avg(${column})::numeric, 9), 1)::float8`

/** What a date's readings of one base station come to, in SQL. Summing them as numeric costs ten times as much. */
export const SLEEP_ENVIRONMENT = `${tenths('temperature')} AS temperature, ${tenths('humidity')} AS humidity,
         round(avg(brightness))::int AS brightness, round(avg(noise))::int AS noise`
