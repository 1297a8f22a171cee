-- Stores what base stations have measured, all or nothing, and alerts the owner, and the guardians of the owner's children,
-- if new readings lie outside of `bounds`: the lowest and the highest value of each measure in turn. It alerts each person
-- once per base station and date, because a room that is too warm stays so for a while. Answers how many base stations are
-- unknown, and whether one of all is connected to no account.
CREATE OR REPLACE FUNCTION store_readings(
  unique_ids uuid[], dates timestamp[], temperatures float8[], humidities float8[], brightnesses int[], noises int[],
  bounds float8[], OUT unknown int, OUT has_unconnected boolean
) LANGUAGE plpgsql AS $$
DECLARE
  outside_stations int[];
  outside_accounts int[];
  outside_dates date[];
BEGIN
  -- Lock the base stations, so that each reading goes to the account connected on arrival; a fixed order avoids deadlocks.
  WITH station AS MATERIALIZED (
    SELECT id, unique_id, root_user_id FROM basestation WHERE unique_id = ANY (unique_ids) ORDER BY id FOR SHARE
  ), item AS MATERIALIZED (
    SELECT i.*, s.id, s.root_user_id
    FROM unnest(unique_ids, dates, temperatures, humidities, brightnesses, noises)
      WITH ORDINALITY AS i (unique_id, measured_at, temperature, humidity, brightness, noise, n)
    LEFT JOIN station s USING (unique_id)
  ), stored AS (
    INSERT INTO sleep_reading (basestation_id, root_user_id, measured_at, temperature, humidity, brightness, noise)
    SELECT id, root_user_id, measured_at, temperature, humidity, brightness, noise FROM item
    WHERE NOT EXISTS (SELECT FROM item WHERE root_user_id IS NULL)
    ORDER BY id, measured_at, n
    ON CONFLICT DO NOTHING
    RETURNING *
  ), outside AS (
    SELECT DISTINCT basestation_id, root_user_id, measured_at::date AS date FROM stored
    WHERE temperature NOT BETWEEN bounds[1] AND bounds[2] OR humidity NOT BETWEEN bounds[3] AND bounds[4]
      OR brightness NOT BETWEEN bounds[5] AND bounds[6] OR noise NOT BETWEEN bounds[7] AND bounds[8]
  ), alerting AS (
    SELECT array_agg(basestation_id) AS stations, array_agg(root_user_id) AS accounts, array_agg(date) AS dates FROM outside
  )
  SELECT (SELECT count(DISTINCT unique_id) FROM item WHERE id IS NULL),
    EXISTS (SELECT FROM item WHERE root_user_id IS NULL), stations, accounts, alerting.dates
  INTO unknown, has_unconnected, outside_stations, outside_accounts, outside_dates
  FROM alerting;
  IF outside_stations IS NOT NULL THEN
    PERFORM alert_outside_bounds(outside_stations, outside_accounts, outside_dates);
  END IF;
END $$;
