-- Stores what nearly all uploads are: complete records of a device that somebody wears. It takes all uploads that wait at the
-- same moment. `uploads` numbers the upload of each record. `intensities` holds those of all records, one record after the
-- other; `firsts` and `lasts` are the bounds of each record in it.
--
-- It answers one verdict for each record, or none at all if every record was stored, and of each device whose records it judged its
-- id, its unique id and the child who wears it. It waits for nobody who holds a device and
-- refuses nothing: it leaves an upload as a whole to `store_devlogs`, and answers 'apart' for its records, if a device of the
-- upload is held elsewhere, unknown, unworn or foreign, if an operator has shifted records of it, if a temporary record would be
-- replaced, if an old record comes twice, or if the upload is of several devices and one has temporary records that are later.
CREATE OR REPLACE FUNCTION store_uploads_together(
  uploads int[], owners int[], unique_ids uuid[], treatment_dates timestamp[], treatment_times int[], movements int[],
  log_file_ids int[], last_intensities smallint[], finish_flags smallint[], intensities smallint[], firsts int[],
  lasts int[], OUT verdicts text[], OUT ids int[], OUT held_unique_ids uuid[], OUT children int[]
) LANGUAGE plpgsql AS $$
DECLARE
  part record;
  told text[];
BEGIN
  verdicts := array_fill('apart'::text, ARRAY[cardinality(uploads)]);
  WITH held AS MATERIALIZED (
    SELECT d.id, d.unique_id, d.real_user_id, d.last_temporary_date, r.root_user_id FROM device d
    LEFT JOIN real_user r ON r.id = d.real_user_id
    WHERE d.unique_id = ANY (unique_ids) AND NOT d.has_shifted_devlogs FOR NO KEY UPDATE OF d SKIP LOCKED
  ), item AS (
    SELECT h.id, h.real_user_id, h.last_temporary_date, i.n::int AS n,
      bool_and(h.real_user_id IS NOT NULL AND (i.owner IS NULL OR i.owner = h.root_user_id)) OVER u AS is_fit,
      min(h.id) OVER u <> max(h.id) OVER u AS is_mixed,
      bool_and(i.date > h.last_temporary_date) OVER u AS is_plain
    FROM unnest(uploads, owners, unique_ids, treatment_dates) WITH ORDINALITY AS i (upload, owner, unique_id, date, n)
    LEFT JOIN held h USING (unique_id)
    WINDOW u AS (PARTITION BY i.upload)
  )
  SELECT array_agg(i.id ORDER BY i.n) AS devices, array_agg(i.real_user_id ORDER BY i.n) AS wearers,
    array_agg(i.last_temporary_date ORDER BY i.n) AS last_temporary_dates, array_agg(i.n ORDER BY i.n) AS places
  INTO part
  FROM item i
  WHERE i.is_fit AND (NOT i.is_mixed OR i.is_plain AND (SELECT is_guarded FROM distribution));
  IF part.places IS NOT NULL THEN
    told := store_records(part.devices, part.wearers, part.last_temporary_dates, ARRAY(SELECT uploads[n] FROM unnest(part.places) n),
      ARRAY(SELECT treatment_dates[n] FROM unnest(part.places) n), ARRAY(SELECT treatment_times[n] FROM unnest(part.places) n),
      ARRAY(SELECT movements[n] FROM unnest(part.places) n), ARRAY(SELECT log_file_ids[n] FROM unnest(part.places) n),
      ARRAY(SELECT last_intensities[n] FROM unnest(part.places) n), ARRAY(SELECT finish_flags[n] FROM unnest(part.places) n),
      array_fill(false, ARRAY[cardinality(part.places)]),
      ARRAY(SELECT intensities[firsts[n]:lasts[n]]::text FROM unnest(part.places) n));
    FOR n IN 1 .. cardinality(part.places) LOOP
      verdicts[part.places[n]] := told[n];
    END LOOP;
    ids := part.devices;
    held_unique_ids := ARRAY(SELECT unique_ids[n] FROM unnest(part.places) n);
    children := part.wearers;
  END IF;
  IF 'stored' = ALL (verdicts) THEN
    verdicts := '{}';
  END IF;
END $$;
