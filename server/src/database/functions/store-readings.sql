-- Stores what base stations have measured, and answers one verdict for each reading, in their order: 'stored', 'duplicate',
-- 'unknown' or 'unconnected'. Unless `lenient`, one error keeps all of them out. Alerts the owner, and the guardians of the
-- owner's children, if new readings lie outside of `bounds`: the lowest and the highest value of each measure in turn. It alerts
-- each person once per base station and date, because a room that is too warm stays so for a while.
CREATE OR REPLACE FUNCTION store_readings(
  unique_ids uuid[], dates timestamp[], temperatures float8[], humidities float8[], brightnesses int[], noises int[],
  bounds float8[], lenient boolean
) RETURNS text[] LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  verdicts text[];
  outside_stations int[];
  outside_accounts int[];
  outside_dates date[];
  late_stations int[];
  late_accounts int[];
  late_readings measured[];
BEGIN
  -- Lock the base stations, so that each reading goes to the account connected on arrival; a fixed order avoids deadlocks.
  WITH station AS MATERIALIZED (
    SELECT id, unique_id, root_user_id FROM basestation WHERE unique_id = ANY (unique_ids) ORDER BY id FOR SHARE
  ), item AS MATERIALIZED (
    SELECT i.*, s.id, s.root_user_id, min(i.n) OVER (PARTITION BY i.unique_id, i.measured_at) AS first
    FROM unnest(unique_ids, dates, temperatures, humidities, brightnesses, noises)
      WITH ORDINALITY AS i (unique_id, measured_at, temperature, humidity, brightness, noise, n)
    LEFT JOIN station s USING (unique_id)
  ), stored AS (
    INSERT INTO sleep_reading (basestation_id, root_user_id, measured_at, temperature, humidity, brightness, noise)
    SELECT id, root_user_id, measured_at, temperature, humidity, brightness, noise FROM item
    WHERE root_user_id IS NOT NULL AND (lenient OR NOT EXISTS (SELECT FROM item WHERE root_user_id IS NULL))
    ORDER BY id, measured_at, n
    ON CONFLICT DO NOTHING
    RETURNING *
  ), counted AS (
    INSERT INTO reading_day AS day
      (basestation_id, date, root_user_id, readings, last_measured_at, temperature, humidity, brightness, noise)
    SELECT r.basestation_id, r.measured_at::date, r.root_user_id, count(*), max(r.measured_at),
      sum(r.temperature::numeric), sum(r.humidity::numeric), sum(r.brightness), sum(r.noise)
    FROM stored r
    WHERE r.measured_at >= (SELECT raw_from FROM reading_horizon WHERE is_only)
    GROUP BY 1, 2, 3
    ORDER BY 1, 2, 3
    ON CONFLICT (basestation_id, date, root_user_id) DO UPDATE SET
      readings = day.readings + excluded.readings,
      last_measured_at = greatest(day.last_measured_at, excluded.last_measured_at),
      temperature = day.temperature + excluded.temperature,
      humidity = day.humidity + excluded.humidity,
      brightness = day.brightness + excluded.brightness,
      noise = day.noise + excluded.noise
  ), late AS (
    SELECT array_agg(basestation_id) AS stations, array_agg(root_user_id) AS accounts,
      array_agg((measured_at, temperature, humidity, brightness, noise)::measured) AS readings
    FROM stored WHERE measured_at < (SELECT raw_from FROM reading_horizon WHERE is_only)
  ), outside AS (
    SELECT DISTINCT basestation_id, root_user_id, measured_at::date AS date FROM stored
    WHERE temperature NOT BETWEEN bounds[1] AND bounds[2] OR humidity NOT BETWEEN bounds[3] AND bounds[4]
      OR brightness NOT BETWEEN bounds[5] AND bounds[6] OR noise NOT BETWEEN bounds[7] AND bounds[8]
  ), alerting AS (
    SELECT array_agg(basestation_id) AS stations, array_agg(root_user_id) AS accounts, array_agg(date) AS dates FROM outside
  ), judged AS (
    SELECT array_agg(
      CASE
        WHEN i.id IS NULL THEN 'unknown'
        WHEN i.root_user_id IS NULL THEN 'unconnected'
        WHEN s.basestation_id IS NOT NULL AND i.n = i.first THEN 'stored'
        ELSE 'duplicate'
      END ORDER BY i.n) AS verdicts
    FROM item i LEFT JOIN stored s ON s.basestation_id = i.id AND s.measured_at = i.measured_at
  )
  SELECT judged.verdicts, alerting.stations, alerting.accounts, alerting.dates, late.stations, late.accounts, late.readings
  INTO verdicts, outside_stations, outside_accounts, outside_dates, late_stations, late_accounts, late_readings
  FROM judged, alerting, late;
  IF late_stations IS NOT NULL THEN
    PERFORM add_to_daily_readings(l.station, l.account, array_agg((l.at, l.temperature, l.humidity, l.brightness, l.noise)::measured))
    FROM unnest(late_stations, late_accounts, late_readings) AS l (station, account, at, temperature, humidity, brightness, noise)
    GROUP BY l.station, l.account;
  END IF;
  IF outside_stations IS NOT NULL THEN
    PERFORM alert_environment_outside_bounds(outside_stations, outside_accounts, outside_dates);
  END IF;
  RETURN coalesce(verdicts, '{}');
END $$;
