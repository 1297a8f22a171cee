-- The readings of a base station that are kept one by one, of the time in which an account had it.
CREATE OR REPLACE FUNCTION readings_of(station int, account int) RETURNS SETOF sleep_reading_row
  LANGUAGE plpgsql ROWS 1000 AS $$
BEGIN
  RETURN QUERY SELECT r.basestation_id, r.root_user_id, r.measured_at, r.temperature, r.humidity, r.brightness, r.noise
    FROM sleep_reading r WHERE r.basestation_id = station AND r.root_user_id = account;
  PERFORM refuse_older_view('sleep_reading');
END $$;
