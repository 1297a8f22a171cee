-- The live records of a child within [since, until), whole; see `uses_of`.
CREATE OR REPLACE FUNCTION treatments_of(child int, since timestamp, until timestamp) RETURNS SETOF treatment_row
  LANGUAGE plpgsql ROWS 31 AS $$
DECLARE
  device int;
BEGIN
  FOR device IN SELECT w.device_id FROM worn w WHERE w.wearer_id = child ORDER BY w.device_id LOOP
    RETURN QUERY SELECT t.id, t.device_id, t.real_user_id, t.treatment_date, t.treatment_time, t.movement, t.log_file_id,
        t.last_intensity, t.finish_flag, t.is_temp, t.deleted_at, t.intensity_record, t.deletion_id
      FROM treatment t
      WHERE t.device_id = device AND t.real_user_id = child AND t.deleted_at IS NULL
        AND t.treatment_date >= since AND t.treatment_date < until;
  END LOOP;
  PERFORM refuse_older_view('treatment');
END $$;
