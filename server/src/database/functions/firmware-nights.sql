-- The used nights of some devices before a day and from that day on, each with its own day: how many there were, how many contact
-- losses they had, and how long the middle one was, in seconds. Only nights of the child who wears the device now count, 14 before
-- the day and 28 from it. A night is that of `nights_of`.
CREATE OR REPLACE FUNCTION firmware_nights(devices int[], days date[]) RETURNS TABLE (
  devices_after bigint, nights_before bigint, losses_before bigint, median_before float8,
  nights_after bigint, losses_after bigint, median_after float8
) LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT count(DISTINCT n.device) FILTER (WHERE n.is_after),
    count(*) FILTER (WHERE NOT n.is_after), coalesce(sum(n.losses) FILTER (WHERE NOT n.is_after), 0)::bigint,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY n.seconds::float8) FILTER (WHERE NOT n.is_after),
    count(*) FILTER (WHERE n.is_after), coalesce(sum(n.losses) FILTER (WHERE n.is_after), 0)::bigint,
    percentile_cont(0.5) WITHIN GROUP (ORDER BY n.seconds::float8) FILTER (WHERE n.is_after)
  FROM (
    SELECT d.device, night.evening >= d.day AS is_after, night.seconds, night.losses
    FROM unnest(devices, days) d (device, day)
    JOIN device w ON w.id = d.device
    CROSS JOIN LATERAL (
      SELECT (t.treatment_date - interval '12 hours')::date AS evening, sum(t.treatment_time) AS seconds,
        count(*) FILTER (WHERE t.finish_flag = 4) AS losses
      FROM device_treatments(d.device, d.day - 14 + interval '12 hours', d.day + 28 + interval '12 hours') t
      WHERE t.real_user_id = w.real_user_id AND (t.is_temp OR t.treatment_time >= 120)
      GROUP BY 1
    ) night
  ) n
$$;
