-- Tells those who watch a child of treatments that were completed, deleted, restored, or moved to another time: that is to be
-- deleted and restored.
CREATE OR REPLACE FUNCTION record_changed_treatments() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  watched int[] := ARRAY(
    SELECT real_user_id FROM (SELECT DISTINCT real_user_id FROM after) a
    WHERE EXISTS (SELECT FROM watched_child() WHERE id = a.real_user_id OFFSET 0));
BEGIN
  IF watched <> '{}' THEN
    -- EXECUTE plans for the rows of this statement. A plan that is kept from an upload of one record would compare each of
    -- 20,000 records of a deletion with each.
    EXECUTE $changes$
      INSERT INTO change (kind, real_user_id, subject_id, date)
      SELECT kind, real_user_id, id, date FROM (
        SELECT n.real_user_id, n.id,
          (CASE WHEN n.deleted_at IS NULL THEN n.treatment_date ELSE o.treatment_date END)::date AS date,
          CASE
            WHEN o.deleted_at IS NULL AND n.deleted_at IS NOT NULL THEN 'treatment.deleted'
            WHEN o.deleted_at IS NOT NULL AND n.deleted_at IS NULL THEN 'treatment.restored'
            WHEN n.deleted_at IS NULL AND o.is_temp AND NOT n.is_temp THEN 'treatment.completed'
          END AS kind
        FROM before o JOIN after n USING (id)
      ) c
      WHERE kind IS NOT NULL AND real_user_id = ANY ($1)$changes$ USING watched;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER record_changed_treatments AFTER UPDATE ON treatment
  REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION record_changed_treatments();
