-- Stores records of one device, which the caller holds, as `store_records` does, and on the coordinator what follows from them: the
-- device's last log file and upload, what those who watch the children are told, and alerts.
CREATE OR REPLACE FUNCTION keep_records(
  device int, wearer int, uploads int[], dates timestamp[], times int[], movements int[], files int[],
  last_intensities smallint[], flags smallint[], are_temp boolean[], intensity_records text[]
) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  kept record;
  -- Given here: a deletion takes what had come before it by their order.
  ids bigint[] := ARRAY(SELECT nextval('treatment_id_seq') FROM unnest(dates));
  highest int;
BEGIN
  SELECT * INTO kept FROM store_records(device, wearer, uploads, ids, dates, times, movements, files, last_intensities, flags,
    are_temp, intensity_records);
  PERFORM commit_in_two_phases();

  -- A record that stays with a former wearer is none of the present connection.
  highest := (SELECT max(file) FROM unnest(files, kept.kept_ids, kept.kept_children) AS k (file, id, child)
    WHERE id IS NOT NULL AND child = wearer);
  IF kept.gone_ids IS NOT NULL THEN
    -- A temporary record that yielded may have had the highest number.
    UPDATE device d SET last_log_file_id = last_log_file_of(d.id, d.real_user_id),
      last_upload_at = CASE WHEN highest IS NULL THEN d.last_upload_at ELSE now() END
    WHERE d.id = device;
  ELSIF highest IS NOT NULL THEN
    UPDATE device d SET last_log_file_id = greatest(d.last_log_file_id, highest), last_upload_at = now() WHERE d.id = device;
  END IF;

  IF EXISTS (SELECT 1 FROM watched_child() WHERE id = ANY (kept.kept_children || kept.gone_children)) THEN
    PERFORM tell_of('treatment.deleted', kept.gone_children, kept.gone_ids, kept.gone_dates);
    PERFORM tell_of(told.kind, array_agg(told.child ORDER BY told.n), array_agg(told.id ORDER BY told.n),
        array_agg(told.date::date ORDER BY told.n))
      FROM (
        SELECT CASE WHEN k.id = ids[k.n] THEN 'treatment.stored' ELSE 'treatment.completed' END AS kind, k.*
        FROM unnest(kept.kept_ids, kept.kept_children, dates) WITH ORDINALITY AS k (id, child, date, n)
        WHERE k.id IS NOT NULL
      ) told
      GROUP BY told.kind;
  END IF;
  IF 4 = ANY (flags) THEN
    PERFORM alert_of_contact_faults(array_agg(device), array_agg(k.child), array_agg(k.date))
      FROM unnest(kept.kept_ids, kept.kept_children, dates, flags) AS k (id, child, date, flag)
      WHERE k.id IS NOT NULL AND k.flag = 4;
  END IF;
  RETURN kept.verdicts;
END $$;
