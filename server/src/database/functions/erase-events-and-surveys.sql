-- Erases a child's notes, with their versions, and surveys.
CREATE OR REPLACE FUNCTION erase_events_and_surveys(child int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM commit_in_two_phases();
  PERFORM lock_child_records(child);
  DELETE FROM event_version v WHERE v.child_id = child AND now() IS NOT NULL;
  DELETE FROM event e WHERE e.real_user_id = child AND now() IS NOT NULL;
  DELETE FROM survey s WHERE s.real_user_id = child AND now() IS NOT NULL;
END $$;
