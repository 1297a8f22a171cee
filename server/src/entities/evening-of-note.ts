/**
 * SQL of the evening of the night that note `e`, a row of `event`, is about, in the time zone `zone`: one that was first written before
 * noon of its date is about the night that has just ended. See docs/decisions/notes-of-nights.md.
 */
export const eveningOfNoteSql = (
  zone: string,
) => `(e.event_date - (CASE WHEN e.version = 1 THEN e.saved_at ELSE coalesce((
    SELECT min(v.saved_at) FROM event_versions_of(e.real_user_id, e.event_date, e.event_date) v WHERE v.event_id = e.id
  ), e.saved_at) END AT TIME ZONE ${zone} < e.event_date + interval '12 hours')::int)`
