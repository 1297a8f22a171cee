-- The note of a day of a child, or the one with the id `note`, which the caller then holds.
CREATE OR REPLACE FUNCTION held_event(child int, note int, day date) RETURNS SETOF event_row LANGUAGE plpgsql AS $$
BEGIN
  PERFORM hold_child(child);
  IF note IS NULL THEN
    RETURN QUERY SELECT e.id, e.real_user_id, e.event_date, e.memo, e.event_data, e.version, e.saved_at, e.saved_by
    FROM event e WHERE e.real_user_id = child AND e.event_date = day FOR UPDATE;
  ELSE
    RETURN QUERY SELECT e.id, e.real_user_id, e.event_date, e.memo, e.event_data, e.version, e.saved_at, e.saved_by
    FROM event e WHERE e.real_user_id = child AND e.id = note FOR UPDATE;
  END IF;
END $$;
