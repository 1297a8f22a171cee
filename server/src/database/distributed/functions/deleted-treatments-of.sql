-- The records of a child that were deleted and can come back; see `uses_of`.
CREATE OR REPLACE FUNCTION deleted_treatments_of(child int) RETURNS SETOF treatment_row
  LANGUAGE plpgsql ROWS 31 AS $$
DECLARE
  device int;
BEGIN
  FOR device IN SELECT w.device_id FROM worn w WHERE w.wearer_id = child ORDER BY w.device_id LOOP
    RETURN QUERY SELECT t.id, t.device_id, t.real_user_id, t.treatment_date, t.treatment_time, t.movement, t.log_file_id,
        t.last_intensity, t.finish_flag, t.is_temp, t.deleted_at, t.intensity_record, t.deletion_id
      FROM treatment t
      WHERE t.device_id = device AND t.real_user_id = child AND t.deleted_at IS NOT NULL;
  END LOOP;
  PERFORM refuse_older_view('treatment');
END $$;
