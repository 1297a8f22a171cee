-- Tells those who follow a child of new treatments. It runs once for all rows of an upload, and writes nothing for a child
-- whom nobody follows.
CREATE OR REPLACE FUNCTION record_arrived_treatments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change (kind, real_user_id, subject_id, date)
  SELECT 'treatment.stored', real_user_id, id, treatment_date::date FROM arrived
  WHERE deleted_at IS NULL AND real_user_id = ANY (ARRAY(
    SELECT child FROM (SELECT DISTINCT real_user_id AS child FROM arrived OFFSET 0) c WHERE is_followed(child)));
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER record_arrived_treatments AFTER INSERT ON treatment REFERENCING NEW TABLE AS arrived
  FOR EACH STATEMENT EXECUTE FUNCTION record_arrived_treatments();
