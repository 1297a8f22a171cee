-- Gives a note of a child another day or content, keeps what it was if that is something else, tells those who watch the child,
-- and answers it as it is then.
CREATE OR REPLACE FUNCTION update_event(
  child int, note int, day date, new_memo text, new_event_data jsonb, at timestamptz, account int
) RETURNS SETOF event LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  old record;
  new_version int;
BEGIN
  SELECT e.* INTO old FROM event e WHERE e.real_user_id = child AND e.id = note FOR UPDATE;
  IF (old.event_date, old.memo, old.event_data) IS DISTINCT FROM (day, new_memo, new_event_data) THEN
    INSERT INTO event_version (child_id, event_id, version, event_date, memo, event_data, saved_at, saved_by)
      VALUES (child, note, old.version, old.event_date, old.memo, old.event_data, old.saved_at, old.saved_by);
    PERFORM add_changes_to_feed('note.saved', ARRAY[child], ARRAY[note::bigint], ARRAY[day]);
    new_version := old.version + 1;
  ELSE
    new_version := old.version;
  END IF;
  RETURN QUERY UPDATE event e SET event_date = day, memo = new_memo, event_data = new_event_data, version = new_version,
      saved_at = at, saved_by = account
    WHERE e.real_user_id = child AND e.id = note AND now() IS NOT NULL
    RETURNING e.*;
END $$;
