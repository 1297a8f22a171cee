-- What a release is judged by, at a moment. Of nights, those of the 2,000 devices that come first in the release and of 2,000 others
-- of the hardware that did not get the firmware. The others' nights are compared at the day on which the release began.
CREATE OR REPLACE FUNCTION firmware_figures(release int, at timestamptz, zone text) RETURNS TABLE (
  offered bigint, loaded bigint, installed bigint, failed bigint, reports bigint, judged_devices bigint, silent bigint, could_be_silent bigint,
  devices_after bigint, nights_before bigint, losses_before bigint, median_before float8,
  nights_after bigint, losses_after bigint, median_after float8,
  others_before bigint, others_losses_before bigint, others_median_before float8,
  others_after bigint, others_losses_after bigint, others_median_after float8
) LANGUAGE sql STABLE ROWS 1 AS $$
  WITH released AS MATERIALIZED (
    SELECT * FROM firmware_release r WHERE r.id = release
  ), counted AS (
    SELECT count(*) AS offered, count(*) FILTER (WHERE o.loads <> '{}' OR o.installed_at IS NOT NULL) AS loaded,
      count(o.installed_at) AS installed, coalesce(sum(o.failed_tries - o.tries_before), 0)::bigint AS failed,
      coalesce(sum(o.failed_tries - o.tries_before), 0)::bigint + count(o.installed_at) AS reports,
      count(*) FILTER (WHERE o.failed_tries > o.tries_before OR o.installed_at IS NOT NULL) AS judged_devices,
      count(*) FILTER (WHERE o.was_active AND o.installed_at < at - interval '3 days'
        AND coalesce(d.last_upload_at <= o.installed_at, true)) AS silent,
      count(*) FILTER (WHERE o.was_active AND o.installed_at < at - interval '3 days') AS could_be_silent
    FROM device_firmware o JOIN device d ON d.id = o.device_id
    WHERE o.release_id = release
  ), updated AS MATERIALIZED (
    SELECT d.id, (o.installed_at AT TIME ZONE zone)::date AS day
    FROM device_firmware o JOIN device d ON d.id = o.device_id
    WHERE o.release_id = release AND o.installed_at IS NOT NULL AND d.now_firmware_id = o.firmware_id AND d.real_user_id IS NOT NULL
    ORDER BY firmware_bucket(release, d.unique_id) LIMIT 2000
  ), others AS MATERIALIZED (
    SELECT d.id, (r.began_at AT TIME ZONE zone)::date AS day
    FROM released r JOIN device d ON d.hardware = r.hardware
    WHERE d.hardware <> 'unknown' AND d.real_user_id IS NOT NULL AND d.now_firmware_id <> r.firmware_id
      AND NOT EXISTS (SELECT FROM device_firmware o
        WHERE o.device_id = d.id AND o.firmware_id = r.firmware_id AND o.installed_at IS NOT NULL)
    ORDER BY d.id LIMIT 2000
  )
  SELECT c.*, n.*, o.nights_before, o.losses_before, o.median_before, o.nights_after, o.losses_after, o.median_after
  FROM counted c
  CROSS JOIN firmware_nights(ARRAY(SELECT u.id FROM updated u ORDER BY u.id), ARRAY(SELECT u.day FROM updated u ORDER BY u.id)) n
  CROSS JOIN firmware_nights(ARRAY(SELECT s.id FROM others s ORDER BY s.id), ARRAY(SELECT s.day FROM others s ORDER BY s.id)) o
$$;
