-- The firmware that a device is offered, and the release that offers it; no row if none. The one rule for phones and devices.
CREATE OR REPLACE FUNCTION firmware_offer(device int, at timestamptz, zone text) RETURNS TABLE (firmware_id int, release_id int)
LANGUAGE sql STABLE ROWS 1 AS $$
  SELECT f.id, r.id
  FROM device d
  JOIN firmware_release r ON r.hardware = d.hardware AND r.state = 'open'
  JOIN firmware f ON f.id = r.firmware_id
  WHERE d.id = device AND d.hardware <> 'unknown' AND d.real_user_id IS NOT NULL
    AND f.withdrawn_at IS NULL AND (f.not_after IS NULL OR f.not_after > at)
    AND d.now_firmware_id < f.id AND d.now_firmware_id >= f.oldest
    AND firmware_bucket(r.id, d.unique_id) * 100 < r.steps[r.step] * 4294967296
    AND NOT EXISTS (SELECT FROM device_firmware o WHERE o.device_id = d.id AND o.firmware_id = f.id AND o.failed_tries >= 3)
    -- Nobody is woken by a device that starts again: a use that goes on. `last_temporary_date` spares the look at records.
    AND NOT (d.last_temporary_date > (at AT TIME ZONE zone) - interval '12 hours' AND EXISTS (
      SELECT FROM device_treatments(d.id, (at AT TIME ZONE zone)::timestamp - interval '12 hours', 'infinity') t WHERE t.is_temp))
$$;
