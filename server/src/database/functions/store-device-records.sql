-- Judges and stores records of one device, and answers one verdict for each, in their order. All that it reads and writes lies in
-- the shard of the device. `ids` are those that new records get.
--
-- With `uploads`, the number of the upload of each record, it takes what nearly all uploads are, complete records, and stores
-- nothing of an upload with a record that comes twice or would replace a temporary one: it answers 'apart' for all of them.
CREATE OR REPLACE FUNCTION store_device_records(
  device int, wearer int, uploads int[], ids bigint[], dates timestamp[], times int[], movements int[], files int[],
  last_intensities smallint[], flags smallint[], are_temp boolean[], intensity_records text[],
  OUT verdicts text[], OUT kept_ids bigint[], OUT kept_children int[], OUT gone_ids bigint[], OUT gone_children int[],
  OUT gone_dates date[]
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  apart int[];
  old_ids bigint[];
  old_dates timestamp[];
  old_files int[];
  old_times int[];
  old_temp boolean[];
  old_children int[];
  item record;
  child int;
  n int;
  own int;
  place int;
  since timestamp := (SELECT min(d) FROM unnest(dates) d);
  until timestamp := (SELECT max(d) + interval '1 microsecond' FROM unnest(dates) d);
BEGIN
  PERFORM lock_device_records(device);
  SELECT array_agg(t.id), array_agg(t.treatment_date), array_agg(t.log_file_id), array_agg(t.treatment_time),
    array_agg(t.is_temp), array_agg(t.real_user_id)
  INTO old_ids, old_dates, old_files, old_times, old_temp, old_children
  FROM treatment t WHERE t.device_id = device AND t.treatment_date = ANY (dates) AND t.deleted_at IS NULL
    AND may_be_dated_between(t.treatment_date, since, until);
  verdicts := array_fill('duplicate'::text, ARRAY[cardinality(dates)]);
  kept_ids := array_fill(NULL::bigint, ARRAY[cardinality(dates)]);
  kept_children := array_fill(NULL::int, ARRAY[cardinality(dates)]);
  IF uploads IS NOT NULL THEN
    apart := ARRAY(
      SELECT unnest(array_agg(i.upload)) FROM unnest(uploads, dates, files) AS i (upload, date, file)
      GROUP BY i.date, i.file
      HAVING count(*) > 1 OR EXISTS (SELECT 1 FROM unnest(old_dates, old_temp) o (date, is_temp) WHERE o.is_temp AND o.date = i.date));
  END IF;

  FOR item IN
    -- Values of their own: an array would be sent as a whole with each record, and an UPDATE that takes a value from one ends the
    -- server process of Citus 13.2.
    SELECT s.n, ids[s.n] AS id, s.date, s.file, s.is_temp, times[s.n] AS treatment_time, movements[s.n] AS movement, last_intensities[s.n] AS last_intensity,
      flags[s.n] AS finish_flag, intensity_records[s.n]::smallint[] AS intensity_record
    FROM (
      -- Of the temporary records of a use, the longest.
      SELECT DISTINCT ON (i.date, i.is_temp, CASE WHEN NOT i.is_temp THEN i.file END) i.*
      FROM unnest(dates, files, times, are_temp) WITH ORDINALITY AS i (date, file, time, is_temp, n)
      WHERE apart IS NULL OR uploads[i.n] <> ALL (apart)
      ORDER BY i.date, i.is_temp, CASE WHEN NOT i.is_temp THEN i.file END, CASE WHEN i.is_temp THEN i.time END DESC, i.n
    ) s
    -- A temporary record yields to a complete one of the same use, and to a temporary one that is as long, in this batch or stored.
    WHERE NOT s.is_temp OR NOT (
      EXISTS (SELECT 1 FROM unnest(dates, are_temp) c (date, is_temp) WHERE NOT c.is_temp AND c.date = s.date)
      OR EXISTS (SELECT 1 FROM unnest(old_dates, old_times, old_temp) o (date, time, is_temp)
        WHERE o.date = s.date AND (NOT o.is_temp OR o.time >= s.time)))
    ORDER BY s.n
  LOOP
    n := item.n;
    kept_children[n] := wearer;
    -- The record that this one completes, that becomes it as a longer temporary one, or that it repeats.
    own := (SELECT o.place FROM unnest(old_dates, old_files, old_ids) WITH ORDINALITY AS o (date, file, id, place)
      WHERE o.date = dates[n] AND (are_temp[n] OR o.file = files[n]) ORDER BY o.file <> files[n], o.id LIMIT 1);
    IF true = ANY (old_temp) THEN
      FOR place IN SELECT o.place FROM unnest(old_dates, old_files, old_temp) WITH ORDINALITY AS o (date, file, is_temp, place)
        WHERE o.is_temp AND o.date = dates[n] AND o.place IS DISTINCT FROM own ORDER BY o.file DESC
      LOOP
        -- The child who wore the device when the temporary record arrived keeps the treatment.
        kept_children[n] := old_children[place];
        verdicts[n] := 'completed';
        -- Gone by now, or completed by another record of these.
        CONTINUE WHEN old_ids[place] = ANY (gone_ids) OR EXISTS (
          SELECT 1 FROM unnest(dates, files, are_temp) c (date, file, is_temp)
          WHERE NOT c.is_temp AND c.date = dates[n] AND c.file = old_files[place]);
        DELETE FROM treatment t
          WHERE t.device_id = device AND t.treatment_date = item.date AND t.deleted_at IS NULL AND t.id = old_ids[place] AND now() IS NOT NULL
            AND may_have_same_date(t.treatment_date, item.date);
        gone_ids := gone_ids || old_ids[place];
        gone_children := gone_children || old_children[place];
        gone_dates := gone_dates || old_dates[place]::date;
      END LOOP;
    END IF;
    IF own IS NULL OR old_ids[own] = ANY (gone_ids) THEN
      child := kept_children[n];
      INSERT INTO treatment (id, device_id, real_user_id, treatment_date, treatment_time, movement, log_file_id,
        last_intensity, finish_flag, is_temp, intensity_record)
      VALUES (item.id, device, child, item.date, item.treatment_time, item.movement, item.file, item.last_intensity,
        item.finish_flag, item.is_temp, item.intensity_record);
      kept_ids[n] := ids[n];
      IF verdicts[n] = 'duplicate' THEN verdicts[n] := 'stored'; END IF;
    ELSIF old_temp[own] THEN
      UPDATE treatment t SET treatment_time = item.treatment_time, movement = item.movement, is_temp = item.is_temp,
        log_file_id = item.file, last_intensity = item.last_intensity, finish_flag = item.finish_flag, intensity_record = item.intensity_record,
        updated_at = now()
      WHERE t.device_id = device AND t.treatment_date = item.date AND t.deleted_at IS NULL AND t.id = old_ids[own] AND now() IS NOT NULL
            AND may_have_same_date(t.treatment_date, item.date);
      kept_ids[n] := old_ids[own];
      kept_children[n] := old_children[own];
      verdicts[n] := 'completed';
    ELSE
      verdicts[n] := 'duplicate';
    END IF;
  END LOOP;
  IF apart <> '{}' THEN
    verdicts := ARRAY(SELECT CASE WHEN i.upload = ANY (apart) THEN 'apart' ELSE i.verdict END
      FROM unnest(uploads, verdicts) WITH ORDINALITY AS i (upload, verdict, n) ORDER BY i.n);
  END IF;
END $$;
