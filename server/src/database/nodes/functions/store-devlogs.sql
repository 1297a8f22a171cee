-- Judges and stores the records of one upload and answers one verdict for each, in their order. Unless `lenient`, one
-- error keeps all of them out. If somebody else holds a device and the caller does not wait, the function stores nothing
-- and answers NULL.
CREATE OR REPLACE FUNCTION store_devlogs(
  unique_ids uuid[], treatment_dates timestamp[], treatment_times int[], movements int[], log_file_ids int[],
  last_intensities smallint[], finish_flags smallint[], are_temp boolean[], intensity_records text[],
  owner int, lenient boolean, waits boolean DEFAULT true
) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  verdicts text[];
  ids int[];
  part record;
  told text[];
BEGIN
  -- In one order, so that two uploads never wait for each other in a circle. Also keeps each device with its child.
  IF waits THEN
    PERFORM 1 FROM device WHERE unique_id = ANY (unique_ids) ORDER BY id FOR NO KEY UPDATE;
  ELSIF (
    SELECT count(*) FROM (
      SELECT 1 FROM device WHERE unique_id = ANY (unique_ids) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
    ) held
  ) < (SELECT count(*) FROM device WHERE unique_id = ANY (unique_ids)) THEN
    RETURN NULL;
  END IF;

  IF EXISTS (SELECT 1 FROM device WHERE unique_id = ANY (unique_ids) AND has_shifted_devlogs) THEN
    treatment_dates := ARRAY(
      SELECT CASE WHEN d.has_shifted_devlogs THEN corrected_date(d.id, i.treatment_date, i.log_file_id, i.is_temp)
        ELSE i.treatment_date END
      FROM unnest(unique_ids, treatment_dates, log_file_ids, are_temp)
        WITH ORDINALITY AS i (unique_id, treatment_date, log_file_id, is_temp, n)
      LEFT JOIN device d USING (unique_id) ORDER BY i.n
    );
  END IF;

  SELECT array_agg(d.id ORDER BY i.n), array_agg(
    CASE
      WHEN d.id IS NULL THEN 'unknown'
      WHEN d.real_user_id IS NULL THEN 'unconnected'
      WHEN owner <> r.root_user_id THEN 'foreign'
    END ORDER BY i.n)
  INTO ids, verdicts
  FROM unnest(unique_ids) WITH ORDINALITY AS i (unique_id, n)
  LEFT JOIN device d USING (unique_id)
  LEFT JOIN real_user r ON owner IS NOT NULL AND r.id = d.real_user_id;

  IF NOT lenient AND EXISTS (SELECT 1 FROM unnest(verdicts) v WHERE v IS NOT NULL) THEN
    RETURN ARRAY(SELECT coalesce(v, 'duplicate') FROM unnest(verdicts) WITH ORDINALITY AS i (v, n) ORDER BY i.n);
  END IF;
  SELECT array_agg(d.id ORDER BY i.n) AS devices, array_agg(d.real_user_id ORDER BY i.n) AS wearers,
    array_agg(d.last_temporary_date ORDER BY i.n) AS last_temporary_dates, array_agg(i.n::int ORDER BY i.n) AS places
  INTO part
  FROM unnest(ids, verdicts) WITH ORDINALITY AS i (id, error, n) JOIN device d ON d.id = i.id
  WHERE i.error IS NULL;
  IF part.places IS NOT NULL THEN
    told := store_records(part.devices, part.wearers, part.last_temporary_dates, NULL,
      ARRAY(SELECT treatment_dates[n] FROM unnest(part.places) n), ARRAY(SELECT treatment_times[n] FROM unnest(part.places) n),
      ARRAY(SELECT movements[n] FROM unnest(part.places) n), ARRAY(SELECT log_file_ids[n] FROM unnest(part.places) n),
      ARRAY(SELECT last_intensities[n] FROM unnest(part.places) n), ARRAY(SELECT finish_flags[n] FROM unnest(part.places) n),
      ARRAY(SELECT are_temp[n] FROM unnest(part.places) n), ARRAY(SELECT intensity_records[n] FROM unnest(part.places) n));
    FOR n IN 1 .. cardinality(part.places) LOOP
      verdicts[part.places[n]] := told[n];
    END LOOP;
  END IF;
  RETURN coalesce(verdicts, '{}');
END $$;
