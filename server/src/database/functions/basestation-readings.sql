-- The readings of a base station that are kept one by one, of the time in which an account had it; see `child_usage_records`.
CREATE OR REPLACE FUNCTION basestation_readings(station int, account int) RETURNS SETOF sleep_reading
  LANGUAGE sql STABLE ROWS 1000 AS $$
  SELECT * FROM sleep_reading r WHERE r.basestation_id = station AND r.root_user_id = account
$$;
