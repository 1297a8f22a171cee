-- The same as `remove_old_treatments` for surveys.
CREATE OR REPLACE FUNCTION remove_old_surveys(behind int, up_to int, before timestamp, most int) RETURNS int
  LANGUAGE plpgsql AS $$
DECLARE
  taken int;
BEGIN
  WITH gone AS (
    DELETE FROM survey WHERE ctid = ANY (ARRAY(
      SELECT old.ctid FROM real_user o CROSS JOIN LATERAL (
        SELECT r.ctid FROM survey r WHERE r.real_user_id = o.id AND r.created_at < before LIMIT most FOR UPDATE SKIP LOCKED
      ) old
      WHERE o.id > behind AND o.id <= up_to LIMIT most))
    RETURNING real_user_id, id
  ), told AS (
    INSERT INTO change (kind, real_user_id, subject_id, date)
    SELECT 'survey.deleted', g.real_user_id, g.id, NULL::date FROM gone g
    WHERE EXISTS (SELECT FROM watched_child() w WHERE w.id = g.real_user_id)
  )
  SELECT count(*) INTO taken FROM gone;
  RETURN taken;
END $$;
