-- The newest used night of a child up to an evening, as `nights_of` defines them; null without one.
CREATE OR REPLACE FUNCTION last_used_night(child int, last date) RETURNS date LANGUAGE sql STABLE AS $$
  SELECT (t.treatment_date - interval '12 hours')::date
  FROM child_treatments(child, '-infinity', last + interval '36 hours') t
  WHERE t.is_temp OR t.treatment_time >= 120
  ORDER BY t.treatment_date DESC LIMIT 1
$$;
