-- From which date a child has been known: that of its first pairing or record, the earlier one; and from which evening its nights
-- count, which is the day before if the first record is of its morning. A pairing from before `device_history` was kept is unknown: the
-- first record stands for it. Null without either.
CREATE OR REPLACE FUNCTION first_evening(child int, zone text) RETURNS TABLE (begun_on date, evening date)
  LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT least(paired, recorded)::date, least(paired::date, (recorded - interval '12 hours')::date)
  FROM (SELECT
    (SELECT min(since) AT TIME ZONE zone FROM device_history WHERE real_user_id = child) AS paired,
    (SELECT treatment_date FROM child_treatments(child, '-infinity', 'infinity') ORDER BY treatment_date LIMIT 1) AS recorded
  ) known
$$;
