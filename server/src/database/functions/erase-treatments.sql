-- Erases the records of children, whose devices the caller holds.
CREATE OR REPLACE FUNCTION erase_treatments(children int[]) RETURNS void LANGUAGE sql AS $$
  -- Two statements, because one index covers the live records and another the deleted ones.
  DELETE FROM treatment t WHERE t.real_user_id = ANY (children) AND t.deleted_at IS NULL
    AND dated_between(t.treatment_date, '-infinity', 'infinity');
  DELETE FROM treatment t WHERE t.real_user_id = ANY (children) AND t.deleted_at IS NOT NULL;
$$;
