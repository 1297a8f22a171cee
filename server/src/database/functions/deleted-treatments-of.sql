-- The records of a child that were deleted and can come back; see `child_usage_records`.
CREATE OR REPLACE FUNCTION deleted_treatments_of(child int) RETURNS SETOF treatment
  LANGUAGE sql STABLE ROWS 31 AS $$
  SELECT * FROM treatment t WHERE t.real_user_id = child AND t.deleted_at IS NOT NULL
$$;
