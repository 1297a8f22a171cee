-- The live records of a device within [since, until), of whichever child; see `child_usage_records`.
CREATE OR REPLACE FUNCTION device_treatments(device int, since timestamp, until timestamp) RETURNS SETOF treatment
  LANGUAGE sql STABLE ROWS 31 AS $$
  SELECT * FROM treatment t
  WHERE t.device_id = device AND t.deleted_at IS NULL AND t.treatment_date >= since AND t.treatment_date < until
    AND may_be_dated_between(t.treatment_date, since, until)
$$;
