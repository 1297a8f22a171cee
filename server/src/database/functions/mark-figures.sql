-- Marks the kept figures of children who are connected with a clinic as outdated, in the transaction that changes what they are made of. A
-- mark that is there is held, so that nobody takes it and looks before this transaction ends. Answers whether it has written one.
CREATE OR REPLACE FUNCTION mark_figures(children int[]) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  connected int[] := ARRAY(SELECT DISTINCT c.real_user_id FROM clinic_connection c
    WHERE c.real_user_id = ANY (children) AND c.ended_at IS NULL ORDER BY 1);
BEGIN
  IF cardinality(connected) = 0 THEN
    RETURN false;
  END IF;
  WITH marked AS MATERIALIZED (
    SELECT real_user_id FROM outdated_figures WHERE real_user_id = ANY (connected) ORDER BY id FOR KEY SHARE
  )
  INSERT INTO outdated_figures (real_user_id)
  SELECT child FROM unnest(connected) child WHERE child NOT IN (SELECT real_user_id FROM marked);
  RETURN FOUND;
END $$;
