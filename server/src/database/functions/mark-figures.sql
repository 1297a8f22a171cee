-- Marks the figures that clinics keep of children as outdated, in the transaction that changes what they are made of. A mark that is there is
-- held, so that nobody takes it and looks before this transaction ends. Answers whether it has written one.
--
-- Its plans are kept, and may have been made while there were few marks: without `enable_seqscan` they look into the indexes whatever there was.
CREATE OR REPLACE FUNCTION mark_figures(children int[]) RETURNS boolean LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  unmarked int[];
  clinics int[];
BEGIN
  -- OFFSET 0: one look into an index for each, however the planner guesses their number.
  SELECT array_agg(c.id ORDER BY c.id), array_agg(c.clinic_id ORDER BY c.id) INTO unmarked, clinics
  FROM (SELECT DISTINCT unnest(children) AS id) child
  CROSS JOIN LATERAL (
    SELECT id, clinic_id FROM clinic_connection WHERE real_user_id = child.id AND ended_at IS NULL OFFSET 0
  ) c
  WHERE NOT EXISTS (SELECT FROM outdated_figures WHERE connection_id = c.id OFFSET 0 FOR KEY SHARE);
  IF unmarked IS NULL THEN
    RETURN false;
  END IF;
  INSERT INTO outdated_figures (connection_id, clinic_id) SELECT * FROM unnest(unmarked, clinics);
  RETURN true;
END $$;
