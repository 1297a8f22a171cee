-- Stores a note about a day of a child, which the caller holds, and answers it as it is then. Without the id of a `note`, it
-- takes the place of the one that is there; else that note moves to the day, and of it changes what is not null.
CREATE OR REPLACE FUNCTION save_event(
  child int, note int, day date, new_memo text, new_event_data jsonb, at timestamptz, account int
) RETURNS SETOF event_row LANGUAGE plpgsql AS $$
DECLARE
  old record;
  new_id int;
BEGIN
  PERFORM hold_child(child);
  IF note IS NULL THEN
    SELECT e.* INTO old FROM event e WHERE e.real_user_id = child AND e.event_date = day FOR UPDATE;
  ELSE
    SELECT e.* INTO old FROM event e WHERE e.real_user_id = child AND e.id = note FOR UPDATE;
  END IF;
  IF old.id IS NOT NULL THEN
    IF note IS NOT NULL THEN
      new_memo := coalesce(new_memo, old.memo);
      new_event_data := coalesce(new_event_data, old.event_data);
    END IF;
    RETURN QUERY SELECT * FROM change_event(child, old.id, day, new_memo, new_event_data, at, account);
  ELSIF note IS NULL THEN
    INSERT INTO event (real_user_id, event_date, memo, event_data, saved_at, saved_by)
      VALUES (child, day, new_memo, new_event_data, at, account) RETURNING id INTO new_id;
    PERFORM tell_of('note.saved', ARRAY[child], ARRAY[new_id::bigint], ARRAY[day]);
    RETURN QUERY SELECT e.id, e.real_user_id, e.event_date, e.memo, e.event_data, e.version, e.saved_at, e.saved_by
      FROM event e WHERE e.real_user_id = child AND e.id = new_id;
  END IF;
END $$;
