-- The same as `remove_old_treatments` for deleted records, of which nobody is told.
CREATE OR REPLACE FUNCTION remove_old_deleted_treatments(behind int, up_to int, before timestamp, most int) RETURNS int
  LANGUAGE plpgsql AS $$
DECLARE
  taken int;
BEGIN
  WITH gone AS (
    DELETE FROM treatment WHERE ctid = ANY (ARRAY(
      SELECT old.ctid FROM real_user o CROSS JOIN LATERAL (
        SELECT r.ctid FROM treatment r WHERE r.real_user_id = o.id AND r.deleted_at IS NOT NULL AND r.treatment_date < before LIMIT most FOR UPDATE SKIP LOCKED
      ) old
      WHERE o.id > behind AND o.id <= up_to LIMIT most))
    RETURNING id
  )
  SELECT count(*) INTO taken FROM gone;
  RETURN taken;
END $$;
