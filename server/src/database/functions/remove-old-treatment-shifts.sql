-- The same as `remove_old_treatments` for the journal of shifts.
CREATE OR REPLACE FUNCTION remove_old_treatment_shifts(behind int, up_to int, before timestamp, most int) RETURNS int
  LANGUAGE plpgsql AS $$
DECLARE
  taken int;
BEGIN
  WITH gone AS (
    DELETE FROM shifted_devlog WHERE ctid = ANY (ARRAY(
      SELECT old.ctid FROM real_user o CROSS JOIN LATERAL (
        SELECT r.ctid FROM shifted_devlog r WHERE r.real_user_id = o.id AND r.date < before LIMIT most FOR UPDATE SKIP LOCKED
      ) old
      WHERE o.id > behind AND o.id <= up_to LIMIT most))
    RETURNING real_user_id
  )
  SELECT count(*) INTO taken FROM gone;
  RETURN taken;
END $$;
