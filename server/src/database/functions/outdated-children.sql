-- The children of a clinic on a day of the service whose kept figures do not say what `figures_of` says.
CREATE OR REPLACE FUNCTION outdated_children(clinic int, today date, goal int) RETURNS SETOF int LANGUAGE sql STABLE AS $$
  SELECT c.real_user_id FROM live_connection(today) c
  LEFT JOIN child_figures f ON f.real_user_id = c.real_user_id AND f.day = today AND f.usual_goal = goal
  WHERE c.clinic_id = clinic
    AND (f.real_user_id IS NULL OR c.real_user_id IN (SELECT m.real_user_id FROM outdated_figures m))
$$;
