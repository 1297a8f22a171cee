-- What the notes of a child were before a change, of the notes that have these dates now, first and last included.
CREATE OR REPLACE FUNCTION event_versions_of(child int, first date, last date) RETURNS SETOF event_version_row
  LANGUAGE plpgsql ROWS 10 AS $$
BEGIN
  RETURN QUERY SELECT v.event_id, v.version, v.event_date, v.memo, v.event_data, v.saved_at, v.saved_by
    FROM event e JOIN event_version v ON v.child_id = e.real_user_id AND v.event_id = e.id
    WHERE e.real_user_id = child AND e.event_date >= first AND e.event_date <= last;
  PERFORM refuse_older_view('event_version');
END $$;
