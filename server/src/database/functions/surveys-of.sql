-- The surveys about a child that were answered within [since, until); see `child_usage_records`.
CREATE OR REPLACE FUNCTION surveys_of(child int, since timestamptz, until timestamptz) RETURNS SETOF survey
  LANGUAGE sql STABLE ROWS 5 AS $$
  SELECT * FROM survey s WHERE s.real_user_id = child AND s.created_at >= since AND s.created_at < until
$$;
