-- Erases the records of children, with each of the devices that they have worn.
CREATE OR REPLACE FUNCTION erase_treatments(children int[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  pair record;
BEGIN
  PERFORM commit_in_two_phases();
  FOR pair IN SELECT w.device_id, array_agg(w.wearer_id) AS children FROM worn w
    WHERE w.wearer_id = ANY (erase_treatments.children) GROUP BY w.device_id ORDER BY w.device_id
  LOOP
    PERFORM lock_device_records(pair.device_id);
    -- Two statements, because one index covers the live records and another the deleted ones.
    DELETE FROM treatment t
      WHERE t.device_id = pair.device_id AND t.real_user_id = ANY (pair.children) AND t.deleted_at IS NULL AND now() IS NOT NULL
        AND may_be_dated_between(t.treatment_date, '-infinity', 'infinity');
    DELETE FROM treatment t
      WHERE t.device_id = pair.device_id AND t.real_user_id = ANY (pair.children) AND t.deleted_at IS NOT NULL AND now() IS NOT NULL;
  END LOOP;
  DELETE FROM worn w WHERE w.wearer_id = ANY (erase_treatments.children);
END $$;
