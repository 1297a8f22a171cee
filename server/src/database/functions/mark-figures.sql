-- Marks the figures that clinics keep of children as outdated, in the transaction that changes what they are made of: `figures_day` is null. The
-- rows are held, those that are marked too, so that nobody keeps figures that lack what this transaction does. Answers whether it has marked any.
--
-- Its plans are kept, and may have been made while there were few rows: without `enable_seqscan` they look into the indexes whatever there was.
CREATE OR REPLACE FUNCTION mark_figures(children int[]) RETURNS boolean LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  current int[];
BEGIN
  SELECT array_agg(id) FILTER (WHERE figures_day IS NOT NULL) INTO current
  FROM (SELECT id, figures_day FROM clinic_connection WHERE real_user_id = ANY (children) AND ended_at IS NULL FOR KEY SHARE) held;
  IF current IS NULL THEN
    RETURN false;
  END IF;
  -- In one order, so that two transactions never wait for each other in a circle.
  PERFORM FROM clinic_connection WHERE id = ANY (current) ORDER BY id FOR NO KEY UPDATE;
  UPDATE clinic_connection SET figures_day = NULL WHERE id = ANY (current);
  RETURN true;
END $$;
