-- Removes at most `most` readings that came after the week they belong to was dropped, and answers how many. One that somebody
-- else holds is left for the next time.
CREATE OR REPLACE FUNCTION remove_late_readings(most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  taken int;
BEGIN
  DELETE FROM sleep_reading_other WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM sleep_reading_other WHERE measured_at < (SELECT raw_from FROM reading_horizon)
    LIMIT most FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS taken = ROW_COUNT;
  RETURN taken;
END $$;
