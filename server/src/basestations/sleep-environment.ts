/**
 * SQL of a mean to one decimal. It is rounded to nine decimals first, as means of binary numbers have to be: then 21.25 is an
 * exact half.
 */
const tenths = (sum: string) => `round(round(${sum} / readings, 9), 1)::float8`

const whole = (sum: string) => `round(${sum}::numeric / readings)::int`

/** SQL of the means of a `reading_day`. */
export const SLEEP_ENVIRONMENT_SQL = `${tenths('temperature')} AS temperature, ${tenths('humidity')} AS humidity,
         ${whole('brightness')} AS brightness, ${whole('noise')} AS noise`
