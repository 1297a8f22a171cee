-- Removes at most `most` readings that came after the week they belong to was dropped, and answers how many.
CREATE OR REPLACE FUNCTION remove_readings_of_dropped_weeks(most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  taken int := 0;
  gone int;
  raw_from timestamp := (SELECT h.raw_from FROM reading_horizon h);
  station int;
  times timestamp[];
BEGIN
  FOR station IN
    SELECT r.basestation_id FROM sleep_reading_other r WHERE r.measured_at < raw_from GROUP BY 1 ORDER BY 1 LIMIT most
  LOOP
    EXIT WHEN taken >= most;
    SELECT array_agg(old.measured_at) INTO times FROM (
      SELECT r.measured_at FROM sleep_reading_other r WHERE r.basestation_id = station AND r.measured_at < raw_from
      LIMIT most - taken) old;
    DELETE FROM sleep_reading_other r WHERE r.basestation_id = station AND r.measured_at = ANY (times) AND now() IS NOT NULL;
    GET DIAGNOSTICS gone = ROW_COUNT;
    taken := taken + gone;
  END LOOP;
  RETURN taken;
END $$;
