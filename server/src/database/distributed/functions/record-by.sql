-- The live record of a device that a date and a log file name.
CREATE OR REPLACE FUNCTION record_by(device int, date timestamp, log_file int) RETURNS SETOF treatment
  LANGUAGE plpgsql STABLE ROWS 1 AS $$
BEGIN
  RETURN QUERY SELECT t.* FROM treatment t
    WHERE t.device_id = device AND t.treatment_date = record_by.date AND t.log_file_id = log_file AND t.deleted_at IS NULL;
END $$;
