-- The memberships in force on a date of the service: the last day of one counts. The planner puts the text of this function
-- in its place.
CREATE OR REPLACE FUNCTION live_child_memberships(on_date date) RETURNS SETOF membership LANGUAGE sql STABLE AS $$
  SELECT * FROM membership WHERE ended_at IS NULL AND (until IS NULL OR until >= on_date)
$$;
