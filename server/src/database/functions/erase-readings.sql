-- Erases what base stations have measured while an account had them.
CREATE OR REPLACE FUNCTION erase_readings(account int) RETURNS void LANGUAGE sql AS $$
  DELETE FROM sleep_reading r WHERE r.root_user_id = account
    AND r.basestation_id IN (SELECT c.basestation_id FROM basestation_connection c WHERE c.root_user_id = account);
  DELETE FROM reading_day d WHERE d.root_user_id = account
    AND d.basestation_id IN (SELECT c.basestation_id FROM basestation_connection c WHERE c.root_user_id = account);
$$;
