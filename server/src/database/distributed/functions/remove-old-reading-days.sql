-- The same as `remove_old_treatments` for the sums of readings by date, of base stations instead of children.
CREATE OR REPLACE FUNCTION remove_old_reading_days(behind int, up_to int, before timestamp, most int) RETURNS int
  LANGUAGE plpgsql AS $$
DECLARE
  taken int := 0;
  gone int;
  station int;
  dates date[];
BEGIN
  FOR station IN
    SELECT d.basestation_id FROM reading_day d
    WHERE d.basestation_id > behind AND d.basestation_id <= up_to AND d.date < before GROUP BY 1 ORDER BY 1
  LOOP
    EXIT WHEN taken >= most;
    PERFORM hold_station(station);
    SELECT array_agg(old.date) INTO dates FROM (
      SELECT d.date FROM reading_day d WHERE d.basestation_id = station AND d.date < before LIMIT most - taken) old;
    DELETE FROM reading_day d WHERE d.basestation_id = station AND d.date = ANY (dates) AND now() IS NOT NULL;
    GET DIAGNOSTICS gone = ROW_COUNT;
    taken := taken + gone;
  END LOOP;
  RETURN taken;
END $$;
