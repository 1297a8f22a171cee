-- Stores what nearly all uploads are: complete records of a device that somebody wears. It takes all uploads that wait at the
-- same moment. `uploads` numbers the upload of each record. `intensities` holds those of all records, one record after the
-- other; `firsts` and `lasts` are the bounds of each record in it.
--
-- It answers one verdict for each record, or none at all if every record was stored. It waits for nobody who holds a device and
-- refuses nothing: it leaves an upload as a whole to `store_devlogs`, and answers 'apart' for its records, if it is of several
-- devices, if its device is held elsewhere, unknown, unworn or foreign, if an operator has shifted records of the device, if a
-- temporary record would be replaced, or if a record comes twice.
CREATE OR REPLACE FUNCTION store_devlogs_together(
  uploads int[], owners int[], unique_ids uuid[], treatment_dates timestamp[], treatment_times int[], movements int[],
  log_file_ids int[], last_intensities smallint[], finish_flags smallint[], intensities smallint[], firsts int[],
  lasts int[]
) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  verdicts text[] := array_fill('apart'::text, ARRAY[cardinality(uploads)]);
  part record;
  told text[];
BEGIN
  FOR part IN
    WITH held AS MATERIALIZED (
      SELECT d.id, d.unique_id, d.real_user_id, r.root_user_id FROM device d
      LEFT JOIN real_user r ON r.id = d.real_user_id
      WHERE d.unique_id = ANY (unique_ids) AND NOT d.has_shifted_devlogs FOR NO KEY UPDATE OF d SKIP LOCKED
    ), item AS MATERIALIZED (
      SELECT i.*, min(i.unique_id::text) OVER u <> max(i.unique_id::text) OVER u AS is_mixed
      FROM unnest(uploads, owners, unique_ids) WITH ORDINALITY AS i (upload, owner, unique_id, n)
      WINDOW u AS (PARTITION BY i.upload)
    )
    SELECT h.id, h.real_user_id, array_agg(i.n::int ORDER BY i.n) AS places
    FROM item i JOIN held h USING (unique_id)
    WHERE h.real_user_id IS NOT NULL AND NOT i.is_mixed AND (i.owner IS NULL OR i.owner = h.root_user_id)
    GROUP BY h.id, h.real_user_id ORDER BY h.id
  LOOP
    told := keep_records(part.id, part.real_user_id, ARRAY(SELECT uploads[n] FROM unnest(part.places) n),
      ARRAY(SELECT treatment_dates[n] FROM unnest(part.places) n), ARRAY(SELECT treatment_times[n] FROM unnest(part.places) n),
      ARRAY(SELECT movements[n] FROM unnest(part.places) n), ARRAY(SELECT log_file_ids[n] FROM unnest(part.places) n),
      ARRAY(SELECT last_intensities[n] FROM unnest(part.places) n), ARRAY(SELECT finish_flags[n] FROM unnest(part.places) n),
      array_fill(false, ARRAY[cardinality(part.places)]),
      ARRAY(SELECT intensities[firsts[n]:lasts[n]]::text FROM unnest(part.places) n));
    FOR n IN 1 .. cardinality(part.places) LOOP
      verdicts[part.places[n]] := told[n];
    END LOOP;
  END LOOP;
  IF 'stored' = ALL (verdicts) THEN
    RETURN '{}';
  END IF;
  RETURN verdicts;
END $$;
