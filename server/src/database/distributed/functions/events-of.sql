-- The notes of a child by date, first and last included.
CREATE OR REPLACE FUNCTION events_of(child int, first date, last date) RETURNS SETOF event_row
  LANGUAGE plpgsql ROWS 31 AS $$
BEGIN
  RETURN QUERY SELECT e.id, e.real_user_id, e.event_date, e.memo, e.event_data, e.version, e.saved_at, e.saved_by
    FROM event e WHERE e.real_user_id = child AND e.event_date >= first AND e.event_date <= last;
  PERFORM refuse_older_view('event');
END $$;
