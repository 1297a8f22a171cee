-- The live record of a device that a date and a log file name; see `child_usage_records`.
CREATE OR REPLACE FUNCTION treatment_by_key(device int, date timestamp, log_file int) RETURNS SETOF treatment
  LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT * FROM treatment t
  WHERE t.device_id = device AND t.treatment_date = treatment_by_key.date AND t.log_file_id = log_file AND t.deleted_at IS NULL
    AND may_have_same_date(t.treatment_date, treatment_by_key.date)
$$;
