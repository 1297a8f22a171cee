-- The live record of a device that a date and a log file name; see `uses_of`.
CREATE OR REPLACE FUNCTION record_by(device int, date timestamp, log_file int) RETURNS SETOF treatment
  LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT * FROM treatment t
  WHERE t.device_id = device AND t.treatment_date = record_by.date AND t.log_file_id = log_file AND t.deleted_at IS NULL
    AND dated_like(t.treatment_date, record_by.date)
$$;
