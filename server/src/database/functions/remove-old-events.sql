-- The same as `remove_old_treatments` for notes, with their versions.
CREATE OR REPLACE FUNCTION remove_old_events(behind int, up_to int, before timestamp, most int) RETURNS int
  LANGUAGE plpgsql AS $$
DECLARE
  taken int;
BEGIN
  WITH gone AS (
    DELETE FROM event WHERE ctid = ANY (ARRAY(
      SELECT old.ctid FROM real_user o CROSS JOIN LATERAL (
        SELECT r.ctid FROM event r WHERE r.real_user_id = o.id AND r.event_date < before LIMIT most FOR UPDATE SKIP LOCKED
      ) old
      WHERE o.id > behind AND o.id <= up_to LIMIT most))
    RETURNING real_user_id, id, event_date
  ), told AS (
    INSERT INTO change (kind, real_user_id, subject_id, date)
    SELECT 'note.deleted', g.real_user_id, g.id, g.event_date FROM gone g
    WHERE EXISTS (SELECT FROM watched_child() w WHERE w.id = g.real_user_id)
  )
  SELECT count(*) INTO taken FROM gone;
  RETURN taken;
END $$;
