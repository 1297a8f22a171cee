-- Gives the note of a day what it said in an earlier version, as `save_event` does; answers nothing if there is none.
CREATE OR REPLACE FUNCTION restore_event_version(child int, day date, wanted int, at timestamptz) RETURNS SETOF event
  LANGUAGE plpgsql AS $$
DECLARE
  earlier record;
BEGIN
  PERFORM lock_child_records(child);
  PERFORM commit_in_two_phases();
  SELECT v.event_id, v.memo, v.event_data INTO earlier
    FROM event e JOIN event_version v ON v.child_id = e.real_user_id AND v.event_id = e.id
    WHERE e.real_user_id = child AND e.event_date = day AND v.version = wanted;
  IF earlier.event_id IS NOT NULL THEN
    RETURN QUERY SELECT * FROM update_event(child, earlier.event_id, day, earlier.memo, earlier.event_data, at, NULL);
  END IF;
END $$;
