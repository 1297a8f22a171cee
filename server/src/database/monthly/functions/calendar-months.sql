-- The months of [since, until). An end without a limit is that of the live records.
CREATE OR REPLACE FUNCTION calendar_months(since timestamp, until timestamp) RETURNS int[] LANGUAGE plpgsql STABLE AS $$
DECLARE
  first int;
  last int;
BEGIN
  IF isfinite(since) THEN
    first := calendar_month(since);
  ELSE
    SELECT min(calendar_month(treatment_date)) INTO first FROM treatment WHERE deleted_at IS NULL;
  END IF;
  IF isfinite(until) THEN
    last := calendar_month(until - interval '1 microsecond');
  ELSE
    SELECT max(calendar_month(treatment_date)) INTO last FROM treatment WHERE deleted_at IS NULL;
  END IF;
  -- A query takes longer than an expression, and a chart is of two months.
  IF first = last THEN RETURN ARRAY[first]; END IF;
  IF first + 1 = last THEN RETURN ARRAY[first, last]; END IF;
  RETURN ARRAY(SELECT generate_series(first, last));
END $$;
