-- Removes at most `most` live records from before `before` of the children with ids after `behind` up to `up_to`, tells those
-- who watch the children, and answers how many. A record that somebody else holds is left for the next time.
CREATE OR REPLACE FUNCTION remove_old_treatments(behind int, up_to int, before timestamp, most int) RETURNS int
  LANGUAGE plpgsql AS $$
DECLARE
  taken int;
BEGIN
  WITH gone AS (
    DELETE FROM treatment WHERE ctid = ANY (ARRAY(
      SELECT old.ctid FROM real_user o CROSS JOIN LATERAL (
        SELECT r.ctid FROM treatment r WHERE r.real_user_id = o.id AND r.deleted_at IS NULL AND r.treatment_date < before
          AND dated_between(r.treatment_date, '-infinity', before)
        LIMIT most FOR UPDATE SKIP LOCKED
      ) old
      WHERE o.id > behind AND o.id <= up_to LIMIT most))
    RETURNING real_user_id, id, treatment_date
  ), told AS (
    INSERT INTO change (kind, real_user_id, subject_id, date)
    SELECT 'treatment.deleted', g.real_user_id, g.id, g.treatment_date::date FROM gone g
    WHERE EXISTS (SELECT FROM watched_child() w WHERE w.id = g.real_user_id)
  )
  SELECT count(*) INTO taken FROM gone;
  RETURN taken;
END $$;
