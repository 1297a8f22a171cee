-- Stores records of devices that the caller holds, and on the coordinator what follows from them: the last log file and upload of a
-- device, what those who watch the children are told, and alerts. Each record has its device, the wearer, and the device's
-- `last_temporary_date`. Answers one verdict for each, as `store_device_records` does.
--
-- A complete record later than all temporary ones needs no look at the others: the unique index finds the duplicate, and the
-- reference to `device_lock` locks the device beside its records. So it takes one statement instead of three.
CREATE OR REPLACE FUNCTION store_records(
  devices int[], wearers int[], last_temporary_dates timestamp[], uploads int[], dates timestamp[], times int[], movements int[],
  files int[], last_intensities smallint[], flags smallint[], are_temp boolean[], intensity_records text[]
) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  verdicts text[] := array_fill('duplicate'::text, ARRAY[cardinality(dates)]);
  -- Given here: a deletion takes what had come before it by their order.
  ids bigint[] := ARRAY(SELECT nextval('treatment_id_seq') FROM unnest(dates));
  kept_ids bigint[] := array_fill(NULL::bigint, ARRAY[cardinality(dates)]);
  kept_children int[] := array_fill(NULL::int, ARRAY[cardinality(dates)]);
  gone_ids bigint[];
  gone_children int[];
  gone_dates date[];
  yielding int[] := '{}';
  redated int[] := '{}';
  temporary_dates timestamp[] := '{}';
  is_guarded boolean := (SELECT d.is_guarded FROM distribution d);
  plain int[] := '{}';
  place int;
  part record;
  kept record;
BEGIN
  PERFORM commit_in_two_phases();
  FOR part IN
    SELECT r.device, r.wearer, r.last_temporary_date, r.is_plain, max(r.date) FILTER (WHERE r.is_temp) AS temporary_date,
      array_agg(r.n ORDER BY r.n) AS places
    FROM (
      SELECT i.*, i.ordinality::int AS n,
        is_guarded AND i.date > i.last_temporary_date AND NOT bool_or(i.is_temp) OVER (PARTITION BY i.device) AS is_plain
      FROM unnest(devices, wearers, last_temporary_dates, dates, are_temp)
        WITH ORDINALITY AS i (device, wearer, last_temporary_date, date, is_temp)
    ) r
    GROUP BY r.device, r.wearer, r.last_temporary_date, r.is_plain ORDER BY r.device
  LOOP
    IF part.is_plain THEN
      plain := plain || part.places;
    ELSE
      SELECT * INTO kept FROM store_device_records(part.device, part.wearer,
        CASE WHEN uploads IS NOT NULL THEN ARRAY(SELECT uploads[p] FROM unnest(part.places) p) END,
        ARRAY(SELECT ids[p] FROM unnest(part.places) p), ARRAY(SELECT dates[p] FROM unnest(part.places) p),
        ARRAY(SELECT times[p] FROM unnest(part.places) p), ARRAY(SELECT movements[p] FROM unnest(part.places) p),
        ARRAY(SELECT files[p] FROM unnest(part.places) p), ARRAY(SELECT last_intensities[p] FROM unnest(part.places) p),
        ARRAY(SELECT flags[p] FROM unnest(part.places) p), ARRAY(SELECT are_temp[p] FROM unnest(part.places) p),
        ARRAY(SELECT intensity_records[p] FROM unnest(part.places) p));
      FOR n IN 1 .. cardinality(part.places) LOOP
        verdicts[part.places[n]] := kept.verdicts[n];
        kept_ids[part.places[n]] := kept.kept_ids[n];
        kept_children[part.places[n]] := kept.kept_children[n];
      END LOOP;
      IF 'completed' = ANY (kept.verdicts) THEN
        yielding := yielding || part.device;
        gone_ids := gone_ids || kept.gone_ids;
        gone_children := gone_children || kept.gone_children;
        gone_dates := gone_dates || kept.gone_dates;
      END IF;
      IF part.last_temporary_date = 'infinity' OR 'completed' = ANY (kept.verdicts) THEN
        redated := redated || part.device;
        temporary_dates := temporary_dates || last_temporary_date_of(part.device);
      ELSIF part.temporary_date > part.last_temporary_date THEN
        redated := redated || part.device;
        temporary_dates := temporary_dates || part.temporary_date;
      END IF;
    END IF;
  END LOOP;
  IF plain <> '{}' THEN
    -- One statement for all of them, with their values: Citus groups them by shard, and reads a query row by row.
    FOR kept IN EXECUTE 'INSERT INTO treatment (id, device_id, real_user_id, treatment_date, treatment_time, movement, log_file_id,
          last_intensity, finish_flag, is_temp, intensity_record) VALUES ' || (
        SELECT string_agg(format('(%s,%s,%s,%L,%s,%s,%s,%s,%s,false,%L)', ids[p], devices[p], wearers[p], dates[p], times[p],
          movements[p], files[p], last_intensities[p], flags[p], intensity_records[p]), ',')
        FROM unnest(plain) p)
      || ' ON CONFLICT DO NOTHING RETURNING id'
    LOOP
      place := array_position(ids, kept.id);
      verdicts[place] := 'stored';
      kept_ids[place] := kept.id;
      kept_children[place] := wearers[place];
    END LOOP;
  END IF;

  -- Once for each device: to change a row again has its child looked up too.
  UPDATE device d SET
    last_temporary_date = coalesce(temporary_dates[array_position(redated, d.id)], d.last_temporary_date),
    last_log_file_id = CASE
      -- A temporary record that yielded, or has another number now, may have had the highest one.
      WHEN d.id = ANY (yielding) THEN last_log_file_of(d.id, d.real_user_id)
      WHEN k.highest IS NULL THEN d.last_log_file_id
      ELSE greatest(d.last_log_file_id, k.highest)
    END,
    last_upload_at = CASE WHEN k.highest IS NULL THEN d.last_upload_at ELSE now() END
  FROM (
    -- A record that stays with a former wearer is none of the present connection.
    SELECT r.device, max(r.file) FILTER (WHERE r.id IS NOT NULL AND r.child = r.wearer) AS highest
    FROM unnest(devices, wearers, files, kept_ids, kept_children) AS r (device, wearer, file, id, child) GROUP BY r.device
  ) k
  WHERE d.id = k.device AND (k.highest IS NOT NULL OR d.id = ANY (yielding) OR d.id = ANY (redated));

  PERFORM add_changes_to_feed('treatment.deleted', gone_children, gone_ids, gone_dates);
  PERFORM add_changes_to_feed(told.kind, array_agg(told.child ORDER BY told.n), array_agg(told.id ORDER BY told.n),
      array_agg(told.date::date ORDER BY told.n))
    FROM (
      SELECT CASE WHEN k.id = ids[k.n] THEN 'treatment.stored' ELSE 'treatment.completed' END AS kind, k.*
      FROM unnest(kept_ids, kept_children, dates) WITH ORDINALITY AS k (id, child, date, n)
      WHERE k.id IS NOT NULL
    ) told
    GROUP BY told.kind;
  IF 4 = ANY (flags) THEN
    PERFORM alert_of_contact_losses(array_agg(k.device), array_agg(k.child), array_agg(k.date))
      FROM unnest(devices, kept_ids, kept_children, dates, flags) AS k (device, id, child, date, flag)
      WHERE k.id IS NOT NULL AND k.flag = 4;
  END IF;
  RETURN verdicts;
END $$;
