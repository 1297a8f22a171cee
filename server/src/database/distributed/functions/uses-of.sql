-- The live records of a child within [since, until), as far as charts and the calendar need them: those of each device that the
-- child has worn, in the shard of the device.
CREATE OR REPLACE FUNCTION uses_of(child int, since timestamp, until timestamp) RETURNS TABLE (
  treatment_date timestamp, treatment_time int, last_intensity smallint, movement int, is_temp boolean
) LANGUAGE plpgsql ROWS 31 AS $$
#variable_conflict use_column
DECLARE
  device int;
BEGIN
  FOR device IN SELECT w.device_id FROM worn w WHERE w.wearer_id = child ORDER BY w.device_id LOOP
    RETURN QUERY SELECT t.treatment_date, t.treatment_time, t.last_intensity, t.movement, t.is_temp FROM treatment t
      WHERE t.device_id = device AND t.real_user_id = child AND t.deleted_at IS NULL
        AND t.treatment_date >= since AND t.treatment_date < until;
  END LOOP;
  PERFORM refuse_older_view('treatment');
END $$;
