-- The children of a clinic on a day of the service whose kept figures do not say what `figures_of` says.
CREATE OR REPLACE FUNCTION outdated_children(clinic int, today date, goal int) RETURNS SETOF int LANGUAGE sql STABLE AS $$
  SELECT c.real_user_id FROM live_clinic_connections(today) c
  WHERE c.clinic_id = clinic AND (c.figures_day, c.figures_goal) IS DISTINCT FROM (today, goal)
$$;
