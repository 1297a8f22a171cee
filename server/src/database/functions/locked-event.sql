-- The note of a day of a child, or the one with the id `note`, which the caller then holds.
CREATE OR REPLACE FUNCTION locked_event(child int, note int, day date) RETURNS SETOF event LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  PERFORM lock_child_records(child);
  IF note IS NULL THEN
    RETURN QUERY SELECT * FROM event e WHERE e.real_user_id = child AND e.event_date = day FOR UPDATE;
  ELSE
    RETURN QUERY SELECT * FROM event e WHERE e.real_user_id = child AND e.id = note FOR UPDATE;
  END IF;
END $$;
