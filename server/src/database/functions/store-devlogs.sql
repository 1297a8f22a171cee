-- Judges and stores the records of one upload and answers one verdict for each, in their order. Unless `lenient`, one
-- refusal keeps all of them out. It is a function because each of its statements sees what was committed before it:
-- locking the devices first settles every race, in one round trip. If somebody else holds a device and the caller does
-- not wait, the function stores nothing and answers NULL.
DROP FUNCTION IF EXISTS store_devlogs(uuid[], timestamp[], int[], int[], int[], smallint[], smallint[], boolean[], text[],
  int, boolean);
CREATE OR REPLACE FUNCTION store_devlogs(
  unique_ids uuid[], treatment_dates timestamp[], treatment_times int[], movements int[], log_file_ids int[],
  last_intensities smallint[], finish_flags smallint[], are_temp boolean[], intensity_records text[],
  owner int, lenient boolean, waits boolean DEFAULT true
) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  verdicts text[];
  has_replaced boolean;
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
      END AS refusal
    FROM unnest(unique_ids, treatment_dates, treatment_times, movements, log_file_ids, last_intensities, finish_flags,
        are_temp, intensity_records)
      WITH ORDINALITY AS i (unique_id, treatment_date, treatment_time, movement, log_file_id, last_intensity,
        finish_flag, is_temp, intensity_record, n)
    LEFT JOIN LATERAL (SELECT * FROM device WHERE device.unique_id = i.unique_id LIMIT 1) d ON true
    LEFT JOIN real_user r ON owner IS NOT NULL AND r.id = d.real_user_id
  ), accepted AS MATERIALIZED (
    SELECT * FROM item WHERE refusal IS NULL AND (lenient OR NOT EXISTS (SELECT FROM item WHERE refusal IS NOT NULL))
  ), single AS MATERIALIZED (
    SELECT DISTINCT ON (device_id, treatment_date, log_file_id) * FROM accepted
    ORDER BY device_id, treatment_date, log_file_id, is_temp, n
  ), chosen AS MATERIALIZED (
    -- A temporary record yields to a complete one of the same treatment, in this batch or stored.
    SELECT * FROM single s
    WHERE NOT is_temp OR NOT (
      EXISTS (SELECT FROM single c
        WHERE NOT c.is_temp AND c.device_id = s.device_id AND c.treatment_date = s.treatment_date)
      OR EXISTS (SELECT FROM treatment t
        WHERE NOT t.is_temp AND t.device_id = s.device_id AND t.treatment_date = s.treatment_date
          AND t.deleted_at IS NULL AND dated_like(t.treatment_date, s.treatment_date)))
  ), replaced AS (
    DELETE FROM treatment t USING chosen c
    WHERE t.is_temp AND t.deleted_at IS NULL AND NOT c.is_temp
      AND t.device_id = c.device_id AND t.treatment_date = c.treatment_date AND t.log_file_id <> c.log_file_id
    RETURNING t.device_id, t.treatment_date, t.log_file_id, t.real_user_id
  ), completed AS (
    UPDATE treatment t SET
      treatment_time = c.treatment_time, movement = c.movement, is_temp = false, last_intensity = c.last_intensity,
      finish_flag = c.finish_flag, intensity_record = c.intensity_record::smallint[]
    FROM chosen c
    WHERE t.is_temp AND t.deleted_at IS NULL AND NOT c.is_temp
      AND t.device_id = c.device_id AND t.treatment_date = c.treatment_date AND t.log_file_id = c.log_file_id
      -- One that yields to another complete record comes back as a new one.
      AND NOT EXISTS (SELECT FROM replaced r WHERE r.device_id = c.device_id AND r.treatment_date = c.treatment_date
        AND r.log_file_id = c.log_file_id)
    RETURNING t.device_id, t.real_user_id, t.treatment_date, t.log_file_id
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
    -- It names no index: that of a record begins with another column where the months lie apart.
    ON CONFLICT DO NOTHING
    RETURNING device_id, real_user_id, treatment_date, log_file_id
  ), stored AS (
    SELECT *, false AS updated FROM fresh UNION ALL SELECT *, true FROM completed
  ), raised AS (
    -- A record that stays with a former wearer is none of the present connection.
    UPDATE device d SET last_log_file_id = greatest(d.last_log_file_id, s.highest), last_upload_at = now()
    FROM (SELECT device_id, real_user_id, max(log_file_id) AS highest FROM stored GROUP BY 1, 2) s
    WHERE d.id = s.device_id AND d.real_user_id = s.real_user_id
  )
  SELECT array_agg(
    CASE
      WHEN i.refusal IS NOT NULL THEN i.refusal
      WHEN c.n IS NULL OR s.device_id IS NULL THEN 'duplicate'
      WHEN s.updated OR r.device_id IS NOT NULL THEN 'completed'
      ELSE 'stored'
    END ORDER BY i.n), bool_or(r.device_id IS NOT NULL)
  INTO verdicts, has_replaced
  FROM item i
  LEFT JOIN chosen c ON c.n = i.n
  LEFT JOIN stored s ON s.device_id = c.device_id AND s.treatment_date = c.treatment_date
    AND s.log_file_id = c.log_file_id
  LEFT JOIN (SELECT DISTINCT device_id, treatment_date FROM replaced) r
    ON r.device_id = c.device_id AND r.treatment_date = c.treatment_date;

  -- A temporary record that yielded may have had the highest number.
  IF has_replaced THEN
    UPDATE device d SET last_log_file_id = last_log_file_of(d.id, d.real_user_id) WHERE unique_id = ANY (unique_ids);
  END IF;
  RETURN coalesce(verdicts, '{}');
END $$;
