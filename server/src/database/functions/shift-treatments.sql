-- Moves live records of a device, which the caller holds, and answers whose they are. They are out of the unique index until
-- all have moved. `shift` is the shift that the journal names; null for an undoing.
CREATE OR REPLACE FUNCTION shift_treatments(device int, dates timestamp[], files int[], by interval, shift int)
  RETURNS TABLE (child int) LANGUAGE plpgsql AS $$
DECLARE
  ids bigint[];
  children int[];
  moved_files int[];
  are_temp boolean[];
  before timestamp[];
  since timestamp := (SELECT min(d) FROM unnest(dates) d);
  until timestamp := (SELECT max(d) + interval '1 microsecond' FROM unnest(dates) d);
BEGIN
  SELECT array_agg(t.id), array_agg(t.real_user_id), array_agg(t.log_file_id), array_agg(t.is_temp), array_agg(t.treatment_date)
  INTO ids, children, moved_files, are_temp, before
  FROM treatment t
  WHERE t.device_id = device AND t.deleted_at IS NULL AND t.treatment_date = ANY (dates)
    AND may_be_dated_between(t.treatment_date, since, until)
    AND (t.treatment_date, t.log_file_id) IN (SELECT m.date, m.file FROM unnest(dates, files) AS m (date, file));
  IF ids IS NULL THEN
    RETURN;
  END IF;
  UPDATE treatment t SET treatment_date = t.treatment_date + by, deleted_at = now()
    WHERE t.device_id = device AND t.deleted_at IS NULL AND t.id = ANY (ids) AND now() IS NOT NULL
      AND may_be_dated_between(t.treatment_date, since, until);
  PERFORM commit_in_two_phases();
  IF shift IS NOT NULL THEN
    INSERT INTO shifted_devlog (shift_id, device_id, real_user_id, log_file_id, is_temp, sent_date, date)
    SELECT shift, device, m.real_user_id, m.log_file_id, m.is_temp OR coalesce(o.is_temp, false), coalesce(o.sent_date, m.before),
      m.before + by
    FROM unnest(children, moved_files, are_temp, before) AS m (real_user_id, log_file_id, is_temp, before)
    -- It may have come under another date, if an earlier shift has moved it here.
    LEFT JOIN LATERAL (
      SELECT s.sent_date, s.is_temp FROM shifted_devlog s
      WHERE s.device_id = device AND s.date = m.before AND (s.log_file_id = m.log_file_id OR s.is_temp)
        AND NOT EXISTS (SELECT 1 FROM shifted_devlog l WHERE l.device_id = s.device_id AND l.sent_date = s.sent_date
          AND (l.log_file_id = s.log_file_id OR l.is_temp AND s.is_temp) AND l.shift_id > s.shift_id)
      ORDER BY s.log_file_id <> m.log_file_id LIMIT 1
    ) o ON true;
  END IF;
  UPDATE device d SET last_temporary_date = 'infinity'
    WHERE d.id = device AND d.last_temporary_date < 'infinity';
  UPDATE treatment t SET deleted_at = NULL, updated_at = now()
    WHERE t.device_id = device AND t.real_user_id = ANY (children) AND t.deleted_at IS NOT NULL AND t.id = ANY (ids) AND now() IS NOT NULL;
  PERFORM add_changes_to_feed('treatment.deleted', children, ids, before::date[]);
  PERFORM add_changes_to_feed('treatment.restored', children, ids, ARRAY(SELECT (b + by)::date FROM unnest(before) WITH ORDINALITY AS b (b, n) ORDER BY n));
  RETURN QUERY SELECT DISTINCT unnest(children);
END $$;
