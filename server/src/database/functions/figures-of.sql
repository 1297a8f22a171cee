-- What the list of a clinic says of a child on a day of the service: its evenings are the 28 up to yesterday's, and the 28 before. The nights
-- are those of `nights_of`. Three flags depend on them: fewer than half of the planned nights reached, among the evenings whose plan asks for
-- some; in 14 evenings fewer used nights by a third than in the 14 before; and a contact loss in more than one of two used nights of 14.
CREATE OR REPLACE FUNCTION figures_of(child int, today date, goal int, zone text)
  RETURNS TABLE (
    last_night date, last_upload_at timestamptz, silent_since timestamptz, clock_refused_at timestamptz, used_28 int, reached_28 int,
    median_seconds_28 float8, used_28_before int, contact_losses_28 int, is_below_plan boolean, is_falling boolean, has_contact_loss boolean
  ) LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT last_used_night(child, today), u.last_upload_at, coalesce(u.last_upload_at, r.created_at),
    (SELECT max(received_at) FROM rejected_devlog
     WHERE real_user_id = child AND reason LIKE 'detail\_data.treatment\_date: must lie between %'),
    n.used_28, n.reached_28, n.median_seconds_28, n.used_28_before, n.contact_losses_28,
    coalesce(14 * planned.reached < planned.nights_of_weeks, false),
    n.used_14_before > 0 AND 3 * n.used_14 <= 2 * n.used_14_before,
    2 * n.lossy_14 > n.used_14
  FROM real_user r
  CROSS JOIN LATERAL (
    SELECT greatest(
      (SELECT max(last_upload_at) FROM device WHERE real_user_id = child),
      (SELECT max(last_upload_at) FROM device_history WHERE real_user_id = child)) AS last_upload_at
  ) u
  CROSS JOIN LATERAL (
    SELECT (count(*) FILTER (WHERE evening >= today - 28))::int AS used_28,
      (count(*) FILTER (WHERE evening >= today - 28 AND has_reached))::int AS reached_28,
      array_agg(evening) FILTER (WHERE evening >= today - 28 AND has_reached) AS reached_evenings,
      percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds::float8) FILTER (WHERE evening >= today - 28) AS median_seconds_28,
      (count(*) FILTER (WHERE evening < today - 28))::int AS used_28_before,
      coalesce(sum(contact_losses) FILTER (WHERE evening >= today - 28), 0)::int AS contact_losses_28,
      count(*) FILTER (WHERE evening >= today - 14) AS used_14,
      count(*) FILTER (WHERE evening >= today - 28 AND evening < today - 14) AS used_14_before,
      count(*) FILTER (WHERE evening >= today - 14 AND contact_losses > 0) AS lossy_14
    FROM nights_of(child, today - 56, today - 1, goal)
  ) n
  CROSS JOIN LATERAL (
    -- Nights a week, for each evening that counts.
    SELECT sum(p.nights_per_week * (period.until - period.first)) AS nights_of_weeks, sum(reached.nights) AS reached
    FROM first_evening(child, zone) b
    CROSS JOIN LATERAL (
      SELECT nights_per_week, from_date, lead(from_date, 1, 'infinity') OVER (ORDER BY from_date) AS until
      FROM plan WHERE real_user_id = child AND from_date < today
    ) p
    CROSS JOIN LATERAL (SELECT greatest(p.from_date, b.evening, today - 28) AS first, least(p.until, today) AS until) period
    CROSS JOIN LATERAL (
      SELECT count(*) AS nights FROM unnest(n.reached_evenings) evening WHERE evening >= period.first AND evening < period.until
    ) reached
    WHERE b.evening IS NOT NULL AND period.until > period.first AND p.nights_per_week > 0
  ) planned
  WHERE r.id = child
$$;
