-- The live records of a child within [since, until), as far as the index of the child holds them: charts and the calendar need
-- no more. Their dates come without the precision of the column, so the index does not serve as their order.
--
-- PostgreSQL puts the text of such a function in place of its call. Statements of the service that read it name no table, so
-- that another body can find the records elsewhere (docs/decisions/functions-before-tables.md).
CREATE OR REPLACE FUNCTION child_usage_records(child int, since timestamp, until timestamp) RETURNS TABLE (
  treatment_date timestamp, treatment_time int, last_intensity smallint, movement int, is_temp boolean
) LANGUAGE sql STABLE ROWS 31 AS $$
  SELECT t.treatment_date, t.treatment_time, t.last_intensity, t.movement, t.is_temp FROM treatment t
  WHERE t.real_user_id = child AND t.deleted_at IS NULL AND t.treatment_date >= since AND t.treatment_date < until
    AND may_be_dated_between(t.treatment_date, since, until)
$$;
