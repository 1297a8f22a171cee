-- The sums of a base station's readings by date, first and last included, while an account had it; see `child_usage_records`.
CREATE OR REPLACE FUNCTION basestation_daily_readings(station int, account int, first date, last date) RETURNS SETOF reading_day
  LANGUAGE sql STABLE ROWS 31 AS $$
  SELECT * FROM reading_day d
  WHERE d.basestation_id = station AND d.root_user_id = account AND d.date >= first AND d.date <= last
$$;
