/** SQL of `trail a`: what others than the owner have done. Its index also holds the hour. */
export const ACCESS_BY_OTHERS_SQL = `a.outcome = 'ok' AND a.actor_kind IN ('member', 'client')`

/** SQL of the hour of a row of `trail a`. */
export const ACCESS_HOUR_SQL = `date_bin('1 hour', a.at, to_timestamp(0))`
