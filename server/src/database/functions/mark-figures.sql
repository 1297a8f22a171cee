-- Marks the figures that clinics keep of children as outdated, in the transaction that changes what they are made of. A mark that is there is
-- held, so that nobody takes it and looks before this transaction ends. Answers whether it has written one.
--
-- Its plans are kept, and may have been made while there were few marks: without `enable_seqscan` they look into the indexes whatever there was.
CREATE OR REPLACE FUNCTION mark_figures(children int[]) RETURNS boolean LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  connections int[];
  clinics int[];
  marked int[];
BEGIN
  SELECT array_agg(id), array_agg(clinic_id) INTO connections, clinics
  FROM clinic_connection WHERE real_user_id = ANY (children) AND ended_at IS NULL;
  IF connections IS NULL THEN
    RETURN false;
  END IF;
  marked := ARRAY(SELECT connection_id FROM outdated_figures WHERE connection_id = ANY (connections) FOR KEY SHARE);
  INSERT INTO outdated_figures (connection_id, clinic_id)
  SELECT * FROM unnest(connections, clinics) AS c (id, clinic_id) WHERE id <> ALL (marked) ORDER BY id;
  RETURN FOUND;
END $$;
