-- Keeps what `figures_of` says of children in the rows of their connections. These are held by one statement and the records read by the next,
-- which sees all that those who have marked the figures as outdated have committed. A connection that somebody holds is left as it is.
CREATE OR REPLACE FUNCTION keep_clinic_figures(children int[], today date, goal int, zone text) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  held int[] := ARRAY(
    SELECT id FROM clinic_connection WHERE real_user_id = ANY (children) AND ended_at IS NULL ORDER BY id FOR UPDATE SKIP LOCKED);
BEGIN
  UPDATE clinic_connection c SET figures_day = today, figures_goal = goal, last_night = f.last_night, last_upload_at = f.last_upload_at,
    silent_since = f.silent_since, clock_refused_at = f.clock_refused_at, used_28 = f.used_28, reached_28 = f.reached_28,
    median_seconds_28 = f.median_seconds_28, used_28_before = f.used_28_before, contact_losses_28 = f.contact_losses_28,
    is_below_plan = f.is_below_plan, is_falling = f.is_falling, has_contact_loss = f.has_contact_loss
  FROM (SELECT DISTINCT real_user_id AS id FROM clinic_connection WHERE id = ANY (held)) child
  CROSS JOIN LATERAL figures_of(child.id, today, goal, zone) f
  WHERE c.real_user_id = child.id AND c.id = ANY (held);
END $$;
