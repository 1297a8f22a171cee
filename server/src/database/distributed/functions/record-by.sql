-- The live record of a device that a date and a log file name.
CREATE OR REPLACE FUNCTION record_by(device int, date timestamp, log_file int) RETURNS SETOF treatment_row
  LANGUAGE plpgsql ROWS 1 AS $$
BEGIN
  RETURN QUERY SELECT t.id, t.device_id, t.real_user_id, t.treatment_date, t.treatment_time, t.movement, t.log_file_id,
      t.last_intensity, t.finish_flag, t.is_temp, t.deleted_at, t.intensity_record, t.deletion_id
    FROM treatment t
    WHERE t.device_id = device AND t.treatment_date = record_by.date AND t.log_file_id = log_file AND t.deleted_at IS NULL;
  PERFORM refuse_older_view('treatment');
END $$;
