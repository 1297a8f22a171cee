/** SQL of `trail a`: what others than the owner have done. Its index also holds the hour. */
export const ACCESS_BY_OTHERS_SQL = `a.outcome = 'ok' AND a.actor_kind IN ('member', 'client')`

/** SQL of the hour of a row of `trail a`. */
export const ACCESS_HOUR_SQL = `date_bin('1 hour', a.at, to_timestamp(0))`

/**
 * SQL of the name of the clinic for which a clinician (`root_user u`) has last reached the child `r.id`, in the minute that begins at `a.newest`:
 * of several, the one that was let in first, and rather one that is let in at the end of that minute. Null of anybody else. `zone` is SQL of
 * the time zone in which the last day of a connection ends.
 */
export const clinicOfAccessSql = (zone: string) => `(
  SELECT k.name FROM clinic_connection c JOIN clinic_member m ON m.clinic_id = c.clinic_id JOIN clinic k ON k.id = c.clinic_id
  CROSS JOIN LATERAL (
    SELECT least(c.ended_at, m.ended_at, (c.until + 1)::timestamp AT TIME ZONE ${zone}, 'infinity') AS ended_at, a.newest + interval '1 minute' AS minute_end
  ) shared
  WHERE u.register_type = 'P' AND c.real_user_id = r.id AND m.root_user_id = u.id
    AND greatest(c.since, m.since) < minute_end AND shared.ended_at >= a.newest
  ORDER BY shared.ended_at < minute_end, c.id LIMIT 1)`
