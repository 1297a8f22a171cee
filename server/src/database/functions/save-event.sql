-- Stores a note about a day of a child, which the caller holds, and answers it as it is then. Without the id of a `note`, it
-- takes the place of the one that is there; else that note moves to the day, and of it changes what is not null. Triggers keep
-- what is replaced, and tell those who watch the child.
CREATE OR REPLACE FUNCTION save_event(
  child int, note int, day date, new_memo text, new_event_data jsonb, at timestamptz, account int
) RETURNS SETOF event LANGUAGE plpgsql AS $$
BEGIN
  IF note IS NULL THEN
    RETURN QUERY INSERT INTO event (real_user_id, event_date, memo, event_data, saved_at, saved_by)
      VALUES (child, day, new_memo, new_event_data, at, account)
      ON CONFLICT (real_user_id, event_date) DO UPDATE SET memo = excluded.memo, event_data = excluded.event_data,
        saved_at = excluded.saved_at, saved_by = excluded.saved_by
      RETURNING *;
  ELSE
    RETURN QUERY UPDATE event e SET event_date = day, memo = coalesce(new_memo, e.memo),
        event_data = coalesce(new_event_data, e.event_data), saved_at = at, saved_by = account
      WHERE e.real_user_id = child AND e.id = note
      RETURNING *;
  END IF;
END $$;
