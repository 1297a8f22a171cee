-- The notes of a child by date, first and last included; see `child_usage_records`.
CREATE OR REPLACE FUNCTION events_of(child int, first date, last date) RETURNS SETOF event
  LANGUAGE sql STABLE ROWS 31 AS $$
  SELECT * FROM event e WHERE e.real_user_id = child AND e.event_date >= first AND e.event_date <= last
$$;
