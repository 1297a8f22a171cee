-- The same as `remove_old_treatments` for the sums of readings by date, of base stations instead of children.
CREATE OR REPLACE FUNCTION remove_old_reading_days(behind int, up_to int, before timestamp, most int) RETURNS int
  LANGUAGE plpgsql AS $$
DECLARE
  taken int;
BEGIN
  WITH gone AS (
    DELETE FROM reading_day WHERE ctid = ANY (ARRAY(
      SELECT old.ctid FROM basestation o CROSS JOIN LATERAL (
        SELECT r.ctid FROM reading_day r WHERE r.basestation_id = o.id AND r.date < before LIMIT most FOR UPDATE SKIP LOCKED
      ) old
      WHERE o.id > behind AND o.id <= up_to LIMIT most))
    RETURNING basestation_id
  )
  SELECT count(*) INTO taken FROM gone;
  RETURN taken;
END $$;
