-- The live records of a child within [since, until), whole; see `child_usage_records`.
CREATE OR REPLACE FUNCTION child_treatments(child int, since timestamp, until timestamp) RETURNS SETOF treatment
  LANGUAGE sql STABLE ROWS 31 AS $$
  SELECT * FROM treatment t
  WHERE t.real_user_id = child AND t.deleted_at IS NULL AND t.treatment_date >= since AND t.treatment_date < until
    AND may_be_dated_between(t.treatment_date, since, until)
$$;
