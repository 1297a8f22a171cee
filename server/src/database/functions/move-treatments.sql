-- Moves live records of a device, which the caller holds, and answers whose they are. They are out of the unique index until
-- all have moved. `shift` is the shift that the journal names; null for an undoing.
CREATE OR REPLACE FUNCTION move_treatments(device int, dates timestamp[], files int[], by interval, shift int)
  RETURNS TABLE (child int) LANGUAGE plpgsql AS $$
DECLARE
  places tid[];
  children int[];
BEGIN
  WITH moved AS (
    UPDATE treatment t SET treatment_date = t.treatment_date + by, deleted_at = now()
    FROM unnest(dates, files) AS m (date, log_file_id)
    WHERE t.device_id = device AND t.treatment_date = m.date AND t.log_file_id = m.log_file_id AND t.deleted_at IS NULL
      AND dated_like(t.treatment_date, m.date)
    RETURNING t.ctid AS place, t.device_id, t.real_user_id, t.log_file_id, t.is_temp, t.treatment_date AS date,
      m.date AS before
  ), journalled AS (
    INSERT INTO shifted_devlog (shift_id, device_id, real_user_id, log_file_id, is_temp, sent_date, date)
    SELECT shift, m.device_id, m.real_user_id, m.log_file_id, m.is_temp OR coalesce(o.is_temp, false),
      coalesce(o.sent_date, m.before), m.date
    FROM moved m
    -- It may have come under another date, if an earlier shift has moved it here.
    LEFT JOIN LATERAL (
      SELECT s.sent_date, s.is_temp FROM shifted_devlog s
      WHERE s.device_id = m.device_id AND s.date = m.before AND (s.log_file_id = m.log_file_id OR s.is_temp)
        AND NOT EXISTS (SELECT FROM shifted_devlog l WHERE l.device_id = s.device_id AND l.sent_date = s.sent_date
          AND (l.log_file_id = s.log_file_id OR l.is_temp AND s.is_temp) AND l.shift_id > s.shift_id)
      ORDER BY s.log_file_id <> m.log_file_id LIMIT 1
    ) o ON true
    WHERE shift IS NOT NULL
  )
  SELECT array_agg(m.place), array_agg(DISTINCT m.real_user_id) INTO places, children FROM moved m;
  UPDATE treatment SET deleted_at = NULL WHERE ctid = ANY (places);
  RETURN QUERY SELECT unnest(children);
END $$;
