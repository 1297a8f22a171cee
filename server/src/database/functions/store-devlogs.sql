-- Judges and stores the records of one upload and answers one verdict for each, in their order. Unless `lenient`, one
-- error keeps all of them out. It is a function because each of its statements sees what was committed before it:
-- locking the devices first settles every race, in one round trip. If somebody else holds a device and the caller does
-- not wait, the function stores nothing and answers NULL.
CREATE OR REPLACE FUNCTION store_devlogs(
  unique_ids uuid[], treatment_dates timestamp[], treatment_times int[], movements int[], log_file_ids int[],
  last_intensities smallint[], finish_flags smallint[], are_temp boolean[], intensity_records text[],
  owner int, lenient boolean, waits boolean DEFAULT true
) RETURNS text[] LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  kept record;
BEGIN
  -- In one order, so that two uploads never wait for each other in a circle. Also keeps each device with its child.
  IF waits THEN
    PERFORM FROM device WHERE unique_id = ANY (unique_ids) ORDER BY id FOR NO KEY UPDATE;
  ELSIF (
    SELECT count(*) FROM (
      SELECT FROM device WHERE unique_id = ANY (unique_ids) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
    ) held
  ) < (SELECT count(*) FROM device WHERE unique_id = ANY (unique_ids)) THEN
    RETURN NULL;
  END IF;

  IF EXISTS (SELECT FROM device WHERE unique_id = ANY (unique_ids) AND has_shifted_devlogs) THEN
    treatment_dates := ARRAY(
      SELECT CASE WHEN d.has_shifted_devlogs THEN corrected_date(d.id, i.treatment_date, i.log_file_id, i.is_temp)
        ELSE i.treatment_date END
      FROM unnest(unique_ids, treatment_dates, log_file_ids, are_temp)
        WITH ORDINALITY AS i (unique_id, treatment_date, log_file_id, is_temp, n)
      LEFT JOIN device d USING (unique_id) ORDER BY i.n
    );
  END IF;

  WITH item AS MATERIALIZED (
    SELECT i.*, d.id AS device_id, d.real_user_id,
      CASE
        WHEN d.id IS NULL THEN 'unknown'
        WHEN d.real_user_id IS NULL THEN 'unconnected'
        WHEN owner <> r.root_user_id THEN 'foreign'
      END AS error
    FROM unnest(unique_ids, treatment_dates, treatment_times, movements, log_file_ids, last_intensities, finish_flags,
        are_temp, intensity_records)
      WITH ORDINALITY AS i (unique_id, treatment_date, treatment_time, movement, log_file_id, last_intensity,
        finish_flag, is_temp, intensity_record, n)
    LEFT JOIN LATERAL (SELECT * FROM device WHERE device.unique_id = i.unique_id LIMIT 1) d ON true
    LEFT JOIN real_user r ON owner IS NOT NULL AND r.id = d.real_user_id
  ), accepted AS MATERIALIZED (
    SELECT * FROM item WHERE error IS NULL AND (lenient OR NOT EXISTS (SELECT FROM item WHERE error IS NOT NULL))
  ), single AS MATERIALIZED (
    -- Of the temporary records of a use, the longest.
    SELECT DISTINCT ON (device_id, treatment_date, is_temp, CASE WHEN NOT is_temp THEN log_file_id END) * FROM accepted
    ORDER BY device_id, treatment_date, is_temp, CASE WHEN NOT is_temp THEN log_file_id END,
      CASE WHEN is_temp THEN treatment_time END DESC, n
  ), chosen AS MATERIALIZED (
    -- A temporary record yields to a complete one of the same use, and to a temporary one that is as long, in this batch or
    -- stored.
    SELECT * FROM single s
    WHERE NOT is_temp OR NOT (
      EXISTS (SELECT FROM single c
        WHERE NOT c.is_temp AND c.device_id = s.device_id AND c.treatment_date = s.treatment_date)
      OR EXISTS (SELECT FROM treatment t
        WHERE t.device_id = s.device_id AND t.treatment_date = s.treatment_date AND t.deleted_at IS NULL
          AND may_have_same_date(t.treatment_date, s.treatment_date) AND (NOT t.is_temp OR t.treatment_time >= s.treatment_time)))
  ), grown AS MATERIALIZED (
    -- The record that becomes the longer temporary one.
    SELECT DISTINCT ON (c.n) c.n, t.id FROM chosen c
    JOIN treatment t ON t.device_id = c.device_id AND t.treatment_date = c.treatment_date AND t.is_temp AND t.deleted_at IS NULL
    WHERE c.is_temp
    ORDER BY c.n, t.log_file_id <> c.log_file_id, t.id
  ), replaced AS (
    DELETE FROM treatment t USING chosen c
    WHERE t.is_temp AND t.deleted_at IS NULL AND t.device_id = c.device_id AND t.treatment_date = c.treatment_date
      AND CASE WHEN c.is_temp THEN t.id NOT IN (SELECT id FROM grown) ELSE t.log_file_id <> c.log_file_id END
    RETURNING t.device_id, t.treatment_date, t.log_file_id, t.real_user_id, t.id
  ), completed AS (
    UPDATE treatment t SET
      treatment_time = c.treatment_time, movement = c.movement, is_temp = c.is_temp, log_file_id = c.log_file_id,
      last_intensity = c.last_intensity, finish_flag = c.finish_flag, intensity_record = c.intensity_record::smallint[],
      updated_at = now()
    FROM chosen c
    WHERE t.is_temp AND t.deleted_at IS NULL AND t.device_id = c.device_id AND t.treatment_date = c.treatment_date
      AND CASE WHEN c.is_temp THEN t.id IN (SELECT id FROM grown) ELSE t.log_file_id = c.log_file_id END
      -- One that yields to another complete record comes back as a new one.
      AND NOT EXISTS (SELECT FROM replaced r WHERE r.device_id = c.device_id AND r.treatment_date = c.treatment_date
        AND r.log_file_id = c.log_file_id)
    RETURNING t.device_id, t.real_user_id, t.treatment_date, t.log_file_id, t.id, t.finish_flag, t.is_temp
  ), fresh AS (
    INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, movement, log_file_id,
      last_intensity, finish_flag, is_temp, intensity_record)
    SELECT device_id,
      -- The child who wore the device when the temporary record arrived keeps the treatment.
      coalesce((SELECT r.real_user_id FROM replaced r
        WHERE r.device_id = c.device_id AND r.treatment_date = c.treatment_date
        ORDER BY r.log_file_id <> c.log_file_id, r.log_file_id LIMIT 1), real_user_id),
      treatment_date, treatment_time, movement, log_file_id, last_intensity, finish_flag, is_temp,
      intensity_record::smallint[]
    FROM chosen c
    WHERE NOT c.is_temp OR NOT EXISTS (SELECT FROM grown g WHERE g.n = c.n)
    -- It names no index: that of a record begins with another column where the months lie apart.
    ON CONFLICT DO NOTHING
    RETURNING device_id, real_user_id, treatment_date, log_file_id, id, finish_flag, is_temp
  ), stored AS (
    SELECT *, false AS updated FROM fresh UNION ALL SELECT *, true FROM completed
  ), raised AS (
    -- A record that stays with a former wearer is none of the present connection.
    UPDATE device d SET last_log_file_id = greatest(d.last_log_file_id, s.highest), last_upload_at = now()
    FROM (SELECT device_id, real_user_id, max(log_file_id) AS highest FROM stored GROUP BY 1, 2) s
    WHERE d.id = s.device_id AND d.real_user_id = s.real_user_id
  )
  SELECT v.*, g.*, k.* INTO kept
  FROM (
    SELECT array_agg(
      CASE
        WHEN i.error IS NOT NULL THEN i.error
        WHEN c.n IS NULL OR s.device_id IS NULL THEN 'duplicate'
        WHEN s.updated OR r.device_id IS NOT NULL THEN 'completed'
        ELSE 'stored'
      END ORDER BY i.n) AS verdicts
    FROM item i
    LEFT JOIN chosen c ON c.n = i.n
    LEFT JOIN stored s ON s.device_id = c.device_id AND s.treatment_date = c.treatment_date
      AND s.log_file_id = c.log_file_id
    LEFT JOIN (SELECT DISTINCT device_id, treatment_date FROM replaced) r
      ON r.device_id = c.device_id AND r.treatment_date = c.treatment_date
  ) v
  CROSS JOIN (
    SELECT array_agg(id) AS gone_ids, array_agg(real_user_id) AS gone_children, array_agg(treatment_date::date) AS gone_dates
    FROM replaced
  ) g
  CROSS JOIN (
    SELECT array_agg(id ORDER BY updated) AS ids, array_agg(real_user_id ORDER BY updated) AS children,
      array_agg(treatment_date ORDER BY updated) AS dates, array_agg(device_id ORDER BY updated) AS devices,
      array_agg(finish_flag ORDER BY updated) AS flags, count(*) FILTER (WHERE updated)::int AS completed,
      bool_or(updated AND is_temp) AS has_grown
    FROM stored
  ) k;

  -- A temporary record that yielded, or has another number now, may have had the highest one.
  IF kept.gone_ids IS NOT NULL OR kept.has_grown THEN
    UPDATE device d SET last_log_file_id = last_log_file_of(d.id, d.real_user_id) WHERE unique_id = ANY (unique_ids);
    PERFORM add_changes_to_feed('treatment.deleted', kept.gone_children, kept.gone_ids, kept.gone_dates);
  END IF;
  PERFORM publish_stored(kept.ids, kept.children, kept.dates, kept.devices, kept.flags, kept.completed);
  RETURN coalesce(kept.verdicts, '{}');
END $$;
