-- Keeps what `figures_of` says of children, and takes their marks. The marks are taken by one statement and the figures read by the next,
-- which sees all that those who had made the marks have committed. A mark that is held is left: the figures of its child stay outdated.
CREATE OR REPLACE FUNCTION refresh_figures(children int[], today date, goal int, zone text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM outdated_figures WHERE id = ANY (ARRAY(
    SELECT id FROM outdated_figures WHERE real_user_id = ANY (children) ORDER BY id FOR UPDATE SKIP LOCKED));
  INSERT INTO child_figures AS kept
  SELECT f.* FROM (SELECT DISTINCT unnest(children) AS id ORDER BY 1) c
  CROSS JOIN LATERAL figures_of(c.id, today, goal, zone) f
  ORDER BY f.real_user_id
  ON CONFLICT (real_user_id) DO UPDATE SET day = excluded.day, usual_goal = excluded.usual_goal, created_at = excluded.created_at,
    last_night = excluded.last_night, last_upload_at = excluded.last_upload_at, clock_refused_at = excluded.clock_refused_at,
    used_28 = excluded.used_28, reached_28 = excluded.reached_28, median_seconds_28 = excluded.median_seconds_28,
    used_28_before = excluded.used_28_before, contact_losses_28 = excluded.contact_losses_28, flags = excluded.flags;
END $$;
