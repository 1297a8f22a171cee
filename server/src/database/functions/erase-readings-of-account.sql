-- Erases what base stations have measured while an account had them.
CREATE OR REPLACE FUNCTION erase_readings_of_account(account int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  station int;
BEGIN
  PERFORM commit_in_two_phases();
  FOR station IN SELECT DISTINCT c.basestation_id FROM basestation_connection c WHERE c.root_user_id = account ORDER BY 1 LOOP
    PERFORM lock_basestation_records(station);
    DELETE FROM sleep_reading r WHERE r.basestation_id = station AND r.root_user_id = account AND now() IS NOT NULL;
    DELETE FROM reading_day d WHERE d.basestation_id = station AND d.root_user_id = account AND now() IS NOT NULL;
  END LOOP;
END $$;
