-- Undoes deletions of a device, which the caller holds. Each record comes back as if it arrived again now: what is live stays
-- as it is, except that a temporary record yields to a complete one and to a longer one. Answers how many came back of each
-- deletion.
CREATE OR REPLACE FUNCTION restore_treatments(device int, deletions int[]) RETURNS TABLE (deletion int, restored int)
  LANGUAGE plpgsql AS $$
DECLARE
  candidates stored_record[];
  live stored_record[];
  gone stored_record[];
  back stored_record[];
  each stored_record;
  deleted record;
  present record;
  dates timestamp[];
  ids bigint[];
  since timestamp;
  until timestamp;
BEGIN
  PERFORM lock_device_records(device);
  PERFORM commit_in_two_phases();
  SELECT array_agg(t.id) AS ids, array_agg(t.real_user_id) AS children, array_agg(t.treatment_date) AS dates,
      array_agg(t.log_file_id) AS files, array_agg(t.treatment_time) AS times, array_agg(t.is_temp) AS are_temp,
      array_agg(t.deletion_id) AS deletions
    INTO deleted FROM treatment t WHERE t.device_id = device AND t.deletion_id = ANY (deletions);
  -- Of a record that was deleted more than once, the newest; of the temporary ones of a use, the longest.
  candidates := ARRAY(
    SELECT DISTINCT ON (s.date, c.is_temp, CASE WHEN NOT c.is_temp THEN c.file END)
      (c.id, c.child, s.date, c.file, c.is_temp, c.deletion)::stored_record
    FROM unnest(deleted.ids, deleted.children, deleted.dates, deleted.files, deleted.times, deleted.are_temp, deleted.deletions)
      AS c (id, child, date, file, time, is_temp, deletion)
    CROSS JOIN LATERAL (SELECT corrected_date(device, c.date, c.file, c.is_temp) AS date) s
    ORDER BY s.date, c.is_temp, CASE WHEN NOT c.is_temp THEN c.file END, CASE WHEN c.is_temp THEN c.time END DESC, c.id DESC);
  dates := ARRAY(SELECT c.date FROM unnest(candidates) c);
  SELECT min(d), max(d) + interval '1 microsecond' INTO since, until FROM unnest(dates) d;
  SELECT array_agg(t.id) AS ids, array_agg(t.real_user_id) AS children, array_agg(t.treatment_date) AS dates,
      array_agg(t.log_file_id) AS files, array_agg(t.treatment_time) AS times, array_agg(t.is_temp) AS are_temp
    INTO present FROM treatment t WHERE t.device_id = device AND t.deleted_at IS NULL AND t.treatment_date = ANY (dates)
      AND may_be_dated_between(t.treatment_date, since, until);
  live := ARRAY(SELECT (l.id, l.child, l.date, l.file, l.is_temp, NULL)::stored_record
    FROM unnest(present.ids, present.children, present.dates, present.files, present.are_temp) AS l (id, child, date, file, is_temp));

  gone := ARRAY(SELECT l FROM unnest(live) l JOIN unnest(present.ids, present.times) AS p (id, time) ON p.id = l.id
    WHERE l.is_temp AND EXISTS (
      SELECT 1 FROM unnest(candidates) c JOIN unnest(deleted.ids, deleted.times) AS d (id, time) ON d.id = c.id
      WHERE c.date = l.date AND (NOT c.is_temp OR d.time > p.time)));
  ids := ARRAY(SELECT g.id FROM unnest(gone) g);
  DELETE FROM treatment t WHERE t.device_id = device AND t.deleted_at IS NULL AND t.id = ANY (ids) AND now() IS NOT NULL
    AND may_be_dated_between(t.treatment_date, since, until);
  PERFORM add_changes_to_feed('treatment.deleted', array_agg(g.child), array_agg(g.id), array_agg(g.date::date)) FROM unnest(gone) g;

  live := ARRAY(SELECT l FROM unnest(live) l WHERE l.id <> ALL (ids));
  back := ARRAY(SELECT c FROM unnest(candidates) c
    WHERE (c.date, c.file) NOT IN (SELECT l.date, l.file FROM unnest(live) l)
      AND NOT (c.is_temp AND (
        c.date IN (SELECT l.date FROM unnest(live) l)
        OR c.date IN (SELECT o.date FROM unnest(candidates) o WHERE NOT o.is_temp))));
  IF EXISTS (SELECT 1 FROM device d WHERE d.id = device AND d.has_shifted_devlogs) THEN
    FOREACH each IN ARRAY back LOOP
      UPDATE treatment t SET treatment_date = each.date
        WHERE t.device_id = device AND t.deletion_id = each.deletion AND t.id = each.id AND t.treatment_date <> each.date AND now() IS NOT NULL;
    END LOOP;
  END IF;
  ids := ARRAY(SELECT b.id FROM unnest(back) b);
  UPDATE treatment t SET deleted_at = NULL, updated_at = now()
    WHERE t.device_id = device AND t.deletion_id = ANY (deletions) AND t.id = ANY (ids) AND now() IS NOT NULL;
  UPDATE device d SET last_temporary_date = 'infinity'
    WHERE d.id = device AND d.last_temporary_date < 'infinity';
  PERFORM add_changes_to_feed('treatment.restored', array_agg(b.child), array_agg(b.id), array_agg(b.date::date)) FROM unnest(back) b;
  RETURN QUERY SELECT b.deletion, count(*)::int FROM unnest(back) b GROUP BY 1;
END $$;
