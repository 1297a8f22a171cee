-- The sums of a base station's readings by date, first and last included, while an account had it.
CREATE OR REPLACE FUNCTION reading_days_of(station int, account int, first date, last date) RETURNS SETOF reading_day_row
  LANGUAGE plpgsql ROWS 31 AS $$
BEGIN
  RETURN QUERY SELECT d.basestation_id, d.date, d.root_user_id, d.readings, d.last_measured_at, d.temperature, d.humidity,
      d.brightness, d.noise
    FROM reading_day d
    WHERE d.basestation_id = station AND d.root_user_id = account AND d.date >= first AND d.date <= last;
  PERFORM refuse_older_view('reading_day');
END $$;
