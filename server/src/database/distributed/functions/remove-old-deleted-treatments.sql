-- The same as `remove_old_treatments` for deleted records, of which nobody is told.
CREATE OR REPLACE FUNCTION remove_old_deleted_treatments(behind int, up_to int, before timestamp, most int) RETURNS int
  LANGUAGE plpgsql AS $$
DECLARE
  taken int := 0;
  pair record;
  ids bigint[];
BEGIN
  FOR pair IN
    SELECT t.device_id, t.real_user_id FROM treatment t
    WHERE t.real_user_id > behind AND t.real_user_id <= up_to AND t.deleted_at IS NOT NULL AND t.treatment_date < before
    GROUP BY 1, 2 ORDER BY 1, 2
  LOOP
    EXIT WHEN taken >= most;
    PERFORM hold_device(pair.device_id);
    SELECT array_agg(old.id) INTO ids FROM (
      SELECT t.id FROM treatment t
      WHERE t.device_id = pair.device_id AND t.real_user_id = pair.real_user_id AND t.deleted_at IS NOT NULL
        AND t.treatment_date < before
      LIMIT most - taken) old;
    IF ids IS NOT NULL THEN
      DELETE FROM treatment t
        WHERE t.device_id = pair.device_id AND t.real_user_id = pair.real_user_id AND t.deleted_at IS NOT NULL AND t.id = ANY (ids) AND now() IS NOT NULL;
      taken := taken + cardinality(ids);
    END IF;
  END LOOP;
  RETURN taken;
END $$;
