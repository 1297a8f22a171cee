-- The surveys about a child that were answered within [since, until).
CREATE OR REPLACE FUNCTION surveys_of(child int, since timestamptz, until timestamptz) RETURNS SETOF survey
  LANGUAGE plpgsql STABLE ROWS 5 AS $$
BEGIN
  RETURN QUERY SELECT s.* FROM survey s WHERE s.real_user_id = child AND s.created_at >= since AND s.created_at < until;
END $$;
