-- The plans of a child that are in force on a date from `first` to `last`, each from `from_date` on up to before `until`.
CREATE OR REPLACE FUNCTION child_plans(child int, first date, last date) RETURNS TABLE (
  from_date date, until date, minutes int, set_by text
) LANGUAGE sql STABLE ROWS 2 AS $$
  SELECT p.from_date, lead(p.from_date, 1, 'infinity') OVER (ORDER BY p.from_date), p.minutes, p.set_by
  FROM plan p
  WHERE p.real_user_id = child AND p.from_date <= last AND p.from_date >= coalesce(
    (SELECT max(begun.from_date) FROM plan begun WHERE begun.real_user_id = child AND begun.from_date <= first), first)
$$;
