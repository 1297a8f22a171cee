-- The live records of a device within [since, until), of whichever child.
CREATE OR REPLACE FUNCTION treatments_by(device int, since timestamp, until timestamp) RETURNS SETOF treatment_row
  LANGUAGE plpgsql ROWS 31 AS $$
BEGIN
  RETURN QUERY SELECT t.id, t.device_id, t.real_user_id, t.treatment_date, t.treatment_time, t.movement, t.log_file_id,
      t.last_intensity, t.finish_flag, t.is_temp, t.deleted_at, t.intensity_record, t.deletion_id
    FROM treatment t
    WHERE t.device_id = device AND t.deleted_at IS NULL AND t.treatment_date >= since AND t.treatment_date < until;
  PERFORM refuse_older_view('treatment');
END $$;
