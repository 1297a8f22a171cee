-- Triggers keep what is replaced, and tell those who watch the child.
CREATE OR REPLACE FUNCTION change_event(
  child int, note int, day date, new_memo text, new_event_data jsonb, at timestamptz, account int
) RETURNS SETOF event_row LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY UPDATE event e SET event_date = day, memo = new_memo, event_data = new_event_data, saved_at = at,
      saved_by = account
    WHERE e.real_user_id = child AND e.id = note
    RETURNING e.id, e.real_user_id, e.event_date, e.memo, e.event_data, e.version, e.saved_at, e.saved_by;
END $$;
