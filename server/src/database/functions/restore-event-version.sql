-- Gives the note of a day what it said in an earlier version, as `save_event` does; answers nothing if there is none.
CREATE OR REPLACE FUNCTION restore_event_version(child int, day date, wanted int, at timestamptz) RETURNS SETOF event
  LANGUAGE sql AS $$
  UPDATE event e SET memo = v.memo, event_data = v.event_data, saved_at = at, saved_by = NULL
  FROM event_version v
  WHERE v.event_id = e.id AND v.version = wanted AND e.real_user_id = child AND e.event_date = day
  RETURNING e.*
$$;
