-- What the notes of a child were before a change, of the notes that have these dates now, first and last included; see
-- `child_usage_records`.
CREATE OR REPLACE FUNCTION event_versions_of(child int, first date, last date) RETURNS SETOF event_version
  LANGUAGE sql STABLE ROWS 10 AS $$
  SELECT v.* FROM event e JOIN event_version v ON v.child_id = e.real_user_id AND v.event_id = e.id
  WHERE e.real_user_id = child AND e.event_date >= first AND e.event_date <= last
$$;
