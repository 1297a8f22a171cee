-- The note of a day of a child, or the one with the id `note`, which the caller then holds.
CREATE OR REPLACE FUNCTION held_event(child int, note int, day date) RETURNS SETOF event LANGUAGE plpgsql AS $$
BEGIN
  PERFORM hold_child(child);
  RETURN QUERY SELECT e.* FROM event e
    WHERE e.real_user_id = child AND CASE WHEN note IS NULL THEN e.event_date = day ELSE e.id = note END;
END $$;
