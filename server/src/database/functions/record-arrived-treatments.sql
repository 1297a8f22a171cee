-- Tells those who watch a child of new treatments. It runs once for all rows of an upload, and writes nothing for a child
-- whom nobody watches.
CREATE OR REPLACE FUNCTION record_arrived_treatments() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  -- OFFSET 0: an index entry is looked up for each, however many are watched.
  watched int[] := ARRAY(
    SELECT real_user_id FROM (SELECT DISTINCT real_user_id FROM arrived) a
    WHERE EXISTS (SELECT FROM watched_child() WHERE id = a.real_user_id OFFSET 0));
BEGIN
  IF watched <> '{}' THEN
    INSERT INTO change (kind, real_user_id, subject_id, date)
    SELECT 'treatment.stored', real_user_id, id, treatment_date::date FROM arrived
    WHERE deleted_at IS NULL AND real_user_id = ANY (watched);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER record_arrived_treatments AFTER INSERT ON treatment REFERENCING NEW TABLE AS arrived
  -- Records that only lie elsewhere from now on are not new: `settle_treatments`.
  FOR EACH STATEMENT WHEN (current_setting('companion.settles', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION record_arrived_treatments();
