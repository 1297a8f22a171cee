-- The plan in force for a child on a date: the newest that has begun.
CREATE OR REPLACE FUNCTION child_plan(child int, day date) RETURNS SETOF plan LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT * FROM plan p WHERE p.real_user_id = child AND p.from_date <= day ORDER BY p.from_date DESC LIMIT 1
$$;
