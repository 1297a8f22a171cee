-- The same as `remove_old_treatments` for surveys.
CREATE OR REPLACE FUNCTION remove_old_surveys(behind int, up_to int, before timestamp, most int) RETURNS int
  LANGUAGE plpgsql AS $$
DECLARE
  taken int := 0;
  child int;
  ids int[];
BEGIN
  FOR child IN
    SELECT s.real_user_id FROM survey s
    WHERE s.real_user_id > behind AND s.real_user_id <= up_to AND s.created_at < before GROUP BY 1 ORDER BY 1
  LOOP
    EXIT WHEN taken >= most;
    PERFORM hold_child(child);
    SELECT array_agg(old.id) INTO ids FROM (
      SELECT s.id FROM survey s WHERE s.real_user_id = child AND s.created_at < before LIMIT most - taken) old;
    IF ids IS NOT NULL THEN
      DELETE FROM survey s WHERE s.real_user_id = child AND s.id = ANY (ids) AND now() IS NOT NULL;
      PERFORM tell_always('survey.deleted', array_fill(child, ARRAY[cardinality(ids)]), ids::bigint[],
        array_fill(NULL::date, ARRAY[cardinality(ids)]));
      taken := taken + cardinality(ids);
    END IF;
  END LOOP;
  RETURN taken;
END $$;
