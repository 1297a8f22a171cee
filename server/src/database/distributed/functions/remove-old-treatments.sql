-- Removes at most `most` live records from before `before` of the children with ids after `behind` up to `up_to`, tells those
-- who watch the children, and answers how many.
CREATE OR REPLACE FUNCTION remove_old_treatments(behind int, up_to int, before timestamp, most int) RETURNS int
  LANGUAGE plpgsql AS $$
DECLARE
  taken int := 0;
  pair record;
  ids bigint[];
  dates date[];
BEGIN
  FOR pair IN
    SELECT t.device_id, t.real_user_id FROM treatment t
    WHERE t.real_user_id > behind AND t.real_user_id <= up_to AND t.deleted_at IS NULL AND t.treatment_date < before
    GROUP BY 1, 2 ORDER BY 1, 2
  LOOP
    EXIT WHEN taken >= most;
    PERFORM hold_device(pair.device_id);
    SELECT array_agg(old.id), array_agg(old.date) INTO ids, dates FROM (
      SELECT t.id, t.treatment_date::date AS date FROM treatment t
      WHERE t.device_id = pair.device_id AND t.real_user_id = pair.real_user_id AND t.deleted_at IS NULL
        AND t.treatment_date < before
      LIMIT most - taken) old;
    IF ids IS NOT NULL THEN
      DELETE FROM treatment t WHERE t.device_id = pair.device_id AND t.deleted_at IS NULL AND t.id = ANY (ids) AND now() IS NOT NULL;
      PERFORM tell_always('treatment.deleted', array_fill(pair.real_user_id, ARRAY[cardinality(ids)]), ids, dates);
      taken := taken + cardinality(ids);
    END IF;
  END LOOP;
  RETURN taken;
END $$;
