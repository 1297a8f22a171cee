-- Keeps what `figures_of` says of children, and takes their marks, of those that `outdated_figure_marks` has answered. The marks are taken by one
-- statement and the figures read by the next, which sees all that those who had made the marks have committed. A mark or a connection that
-- is held is left: its figures stay outdated.
CREATE OR REPLACE FUNCTION refresh_clinic_figures(children int[], marks bigint[], today date, goal int, zone text) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  held int[] := ARRAY(
    SELECT id FROM clinic_connection WHERE real_user_id = ANY (children) AND ended_at IS NULL ORDER BY id FOR NO KEY UPDATE SKIP LOCKED);
BEGIN
  DELETE FROM outdated_figures WHERE id = ANY (ARRAY(
    SELECT id FROM outdated_figures WHERE id = ANY (marks) AND connection_id = ANY (held) ORDER BY id FOR UPDATE SKIP LOCKED));
  UPDATE clinic_connection c SET figures_day = today, figures_goal = goal, last_night = f.last_night, last_upload_at = f.last_upload_at,
    silent_since = f.silent_since, clock_refused_at = f.clock_refused_at, used_28 = f.used_28, reached_28 = f.reached_28,
    median_seconds_28 = f.median_seconds_28, used_28_before = f.used_28_before, contact_losses_28 = f.contact_losses_28,
    is_below_plan = f.is_below_plan, is_falling = f.is_falling, has_contact_loss = f.has_contact_loss
  FROM (SELECT DISTINCT real_user_id AS id FROM clinic_connection WHERE id = ANY (held)) child
  CROSS JOIN LATERAL figures_of(child.id, today, goal, zone) f
  WHERE c.real_user_id = child.id AND c.id = ANY (held);
END $$;
