-- Stores what nearly all uploads are: complete records of devices that somebody wears. It takes all uploads that wait
-- at the same moment. `uploads` numbers the upload of each record. `intensities` holds those of all records, one record
-- after the other; `firsts` and `lasts` are the bounds of each record in it.
--
-- It answers one verdict for each record, or none at all if every record was stored, and of each device that it held its id, its
-- unique id and the child who wears it. It waits for nobody and refuses nothing: it leaves an upload as a whole to `store_devlogs`, and answers 'apart' for its records, if a device of the
-- upload is held elsewhere, unknown, unworn or foreign, if an operator has shifted records of it, if a temporary record
-- would be replaced, or if a record comes twice.
CREATE OR REPLACE FUNCTION store_uploads_together(
  uploads int[], owners int[], unique_ids uuid[], treatment_dates timestamp[], treatment_times int[], movements int[],
  log_file_ids int[], last_intensities smallint[], finish_flags smallint[], intensities smallint[], firsts int[],
  lasts int[], OUT verdicts text[], OUT ids int[], OUT held_unique_ids uuid[], OUT children int[]
) LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  highest_log_file_ids int[];
  places tid[];
  kept record;
BEGIN
  -- Only the holder of a device writes its records, so that none comes between the look and the insert. The locks are a
  -- statement of their own, so that the next one sees what was committed before they were won. A row that is held stays in its place,
  -- where it is written without another look into the index.
  SELECT array_agg(id), array_agg(unique_id), array_agg(real_user_id), array_agg(last_log_file_id), array_agg(place)
  INTO ids, held_unique_ids, children, highest_log_file_ids, places
  FROM (
    SELECT id, unique_id, real_user_id, last_log_file_id, ctid AS place FROM device
    WHERE unique_id = ANY (unique_ids) AND NOT has_shifted_devlogs FOR NO KEY UPDATE SKIP LOCKED
  ) held;

  -- If every record is new, all are stored. Inserting them without `ON CONFLICT` costs a fifth less.
  WITH item AS MATERIALIZED (
    SELECT d.id AS device_id, d.place, d.real_user_id, d.highest, i.*
    FROM unnest(owners, unique_ids, treatment_dates, treatment_times, movements, log_file_ids, last_intensities,
        finish_flags, firsts, lasts)
      WITH ORDINALITY AS i (owner, unique_id, treatment_date, treatment_time, movement, log_file_id, last_intensity,
        finish_flag, first, last, n)
    JOIN unnest(ids, held_unique_ids, children, highest_log_file_ids, places) AS d (id, unique_id, real_user_id, highest, place)
      USING (unique_id)
    WHERE d.real_user_id IS NOT NULL
      AND (i.owner IS NULL OR i.owner = (SELECT root_user_id FROM real_user WHERE id = d.real_user_id))
      AND NOT EXISTS (
        SELECT FROM treatment t
        WHERE t.device_id = d.id AND t.treatment_date = i.treatment_date AND t.deleted_at IS NULL
          AND may_have_same_date(t.treatment_date, i.treatment_date) AND (t.log_file_id = i.log_file_id OR t.is_temp)
        -- A look at the index for each, however the planner guesses the sizes.
        OFFSET 0
      )
  ), fresh AS MATERIALIZED (
    SELECT count(*) = cardinality(uploads) AS are_all
    FROM (SELECT FROM item GROUP BY device_id, treatment_date, log_file_id) record
  ), raised AS (
    UPDATE device d SET last_log_file_id = a.highest, last_upload_at = now()
    FROM (
      SELECT place, greatest(max(log_file_id), max(highest)) AS highest FROM item
      WHERE (SELECT are_all FROM fresh)
      GROUP BY place
    ) a
    WHERE d.ctid = a.place
  ), stored AS (
    INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, movement, log_file_id,
      last_intensity, finish_flag, intensity_record)
    SELECT device_id, real_user_id, treatment_date, treatment_time, movement, log_file_id, last_intensity, finish_flag,
      intensities[first:last]
    FROM item WHERE (SELECT are_all FROM fresh)
    RETURNING id, real_user_id, treatment_date, device_id, finish_flag
  )
  SELECT array_agg(id) AS ids, array_agg(real_user_id) AS children, array_agg(treatment_date) AS dates,
    array_agg(device_id) AS devices, array_agg(finish_flag) AS flags,
    (SELECT array_agg(n) FROM item WHERE NOT (SELECT are_all FROM fresh)) AS new_records INTO kept FROM stored;
  IF kept.ids IS NOT NULL THEN
    PERFORM publish_stored(kept.ids, kept.children, kept.dates, kept.devices, kept.flags, 0);
    verdicts := '{}';
    RETURN;
  END IF;

  -- Otherwise each record is judged by itself, and each upload stored if none of its records is apart. What was new
  -- is still new, because the devices are held.
  WITH item AS MATERIALIZED (
    SELECT d.id AS device_id, d.place, d.real_user_id, d.highest, i.*,
      CASE
        WHEN d.real_user_id IS NULL THEN 'apart'
        WHEN i.owner IS NOT NULL AND i.owner <> (SELECT root_user_id FROM real_user WHERE id = d.real_user_id)
          THEN 'apart'
        WHEN n = ANY (kept.new_records) THEN 'stored'
        WHEN EXISTS (
          SELECT FROM treatment t
          WHERE t.device_id = d.id AND t.treatment_date = i.treatment_date AND t.is_temp AND t.deleted_at IS NULL
          OFFSET 0
        ) THEN 'apart'
        ELSE 'duplicate'
      END AS verdict
    FROM unnest(uploads, owners, unique_ids, treatment_dates, treatment_times, movements, log_file_ids,
        last_intensities, finish_flags, firsts, lasts)
      WITH ORDINALITY AS i (upload, owner, unique_id, treatment_date, treatment_time, movement, log_file_id,
        last_intensity, finish_flag, first, last, n)
    LEFT JOIN unnest(ids, held_unique_ids, children, highest_log_file_ids, places) AS d (id, unique_id, real_user_id, highest, place)
      USING (unique_id)
  ), apart AS MATERIALIZED (
    SELECT unnest(array_agg(upload)) AS upload FROM item
    GROUP BY device_id, treatment_date, log_file_id
    HAVING count(*) > 1 OR bool_or(verdict = 'apart')
  ), raised AS (
    UPDATE device d SET last_log_file_id = a.highest, last_upload_at = now()
    FROM (
      SELECT place, greatest(max(log_file_id), max(highest)) AS highest FROM item
      WHERE verdict = 'stored' AND upload NOT IN (SELECT upload FROM apart)
      GROUP BY place
    ) a
    WHERE d.ctid = a.place
  ), stored AS (
    INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, movement, log_file_id,
      last_intensity, finish_flag, intensity_record)
    SELECT device_id, real_user_id, treatment_date, treatment_time, movement, log_file_id, last_intensity, finish_flag,
      intensities[first:last]
    FROM item WHERE verdict = 'stored' AND upload NOT IN (SELECT upload FROM apart)
    RETURNING id, real_user_id, treatment_date, device_id, finish_flag
  ), told AS (
    SELECT array_agg(id) AS ids, array_agg(real_user_id) AS children, array_agg(treatment_date) AS dates,
      array_agg(device_id) AS devices, array_agg(finish_flag) AS flags FROM stored
  )
  SELECT told.*, (
    SELECT array_agg(CASE WHEN upload IN (SELECT upload FROM apart) THEN 'apart' ELSE verdict END ORDER BY n) FROM item
  ) AS verdicts
  INTO kept FROM told;
  PERFORM publish_stored(kept.ids, kept.children, kept.dates, kept.devices, kept.flags, 0);
  verdicts := kept.verdicts;
END $$;
