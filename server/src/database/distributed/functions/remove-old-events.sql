-- The same as `remove_old_treatments` for notes, with their versions.
CREATE OR REPLACE FUNCTION remove_old_events(behind int, up_to int, before timestamp, most int) RETURNS int
  LANGUAGE plpgsql AS $$
DECLARE
  taken int := 0;
  child int;
  ids int[];
  dates date[];
BEGIN
  FOR child IN
    SELECT e.real_user_id FROM event e
    WHERE e.real_user_id > behind AND e.real_user_id <= up_to AND e.event_date < before GROUP BY 1 ORDER BY 1
  LOOP
    EXIT WHEN taken >= most;
    PERFORM hold_child(child);
    SELECT array_agg(old.id), array_agg(old.event_date) INTO ids, dates FROM (
      SELECT e.id, e.event_date FROM event e WHERE e.real_user_id = child AND e.event_date < before LIMIT most - taken) old;
    IF ids IS NOT NULL THEN
      DELETE FROM event_version v WHERE v.child_id = child AND v.event_id = ANY (ids) AND now() IS NOT NULL;
      DELETE FROM event e WHERE e.real_user_id = child AND e.id = ANY (ids) AND now() IS NOT NULL;
      PERFORM tell_always('note.deleted', array_fill(child, ARRAY[cardinality(ids)]), ids::bigint[], dates);
      taken := taken + cardinality(ids);
    END IF;
  END LOOP;
  RETURN taken;
END $$;
