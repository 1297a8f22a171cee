-- How many nights of a child are missing in a row, up to that of an evening: since the last used one, or since a device was
-- connected before 18:00 on the clock of a zone. Null if that evening's is not missing, as GET /api/v1/beta/insight says it.
CREATE OR REPLACE FUNCTION missing_nights_in_a_row(child int, evening date, zone text) RETURNS int LANGUAGE plpgsql STABLE AS $$
DECLARE
  used date;
  -- The evening before the first that could have been used.
  before date := (SELECT min((coalesce(d.connected_at, d.created_at) AT TIME ZONE zone + interval '6 hours')::date) - 1
    FROM device d WHERE d.real_user_id = child);
BEGIN
  IF before IS NULL OR before >= evening THEN
    RETURN NULL;
  END IF;
  used := last_used_night(child, evening);
  RETURN nullif(evening - greatest(used, before), 0);
END $$;
