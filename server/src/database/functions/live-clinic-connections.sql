-- The connections of children with clinics that are in force on a date of the service: the last day of one counts. The planner
-- puts the text of this function in its place.
CREATE OR REPLACE FUNCTION live_clinic_connections(on_date date) RETURNS SETOF clinic_connection LANGUAGE sql STABLE AS $$
  SELECT * FROM clinic_connection WHERE ended_at IS NULL AND (until IS NULL OR until >= on_date)
$$;
