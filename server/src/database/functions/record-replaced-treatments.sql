-- Tells those who watch a child of temporary records that a complete one replaces. No other live record is removed but those
-- of a deleted child.
CREATE OR REPLACE FUNCTION record_replaced_treatments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change (kind, real_user_id, subject_id, date)
  SELECT 'treatment.deleted', real_user_id, id, treatment_date::date FROM gone
  WHERE is_temp AND deleted_at IS NULL AND real_user_id IN (SELECT id FROM watched_child());
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER record_replaced_treatments AFTER DELETE ON treatment REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION record_replaced_treatments();
