-- Those of some devices that have no live record later than `since`.
CREATE OR REPLACE FUNCTION silent_devices_among(devices int[], since timestamp) RETURNS SETOF int LANGUAGE plpgsql
  ROWS 1000 AS $$
BEGIN
  RETURN QUERY SELECT d FROM unnest(devices) d
    WHERE d <> ALL (ARRAY(
      SELECT t.device_id FROM treatment t
      WHERE t.device_id = ANY (devices) AND t.deleted_at IS NULL AND t.treatment_date > since
      GROUP BY t.device_id));
  PERFORM assert_snapshot_sees_table('treatment');
END $$;
