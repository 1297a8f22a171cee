-- Stores what base stations have measured, and answers one verdict for each reading, in their order: 'stored', 'duplicate',
-- 'unknown' or 'unconnected'. Unless `lenient`, one error keeps all of them out. Alerts the owner, and the guardians of the
-- owner's children, if new readings lie outside of `bounds`: the lowest and the highest value of each measure in turn. It alerts
-- each person once per base station and date, because a room that is too warm stays so for a while.
CREATE OR REPLACE FUNCTION store_readings(
  unique_ids uuid[], dates timestamp[], temperatures float8[], humidities float8[], brightnesses int[], noises int[],
  bounds float8[], lenient boolean
) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  verdicts text[];
  part record;
  stored timestamp[];
  at timestamp;
  new_readings measured[];
  outside date[];
BEGIN
  -- Lock the base stations, so that each reading goes to the account connected on arrival; a fixed order avoids deadlocks.
  PERFORM 1 FROM basestation WHERE unique_id = ANY (unique_ids) ORDER BY id FOR SHARE;
  SELECT array_agg(CASE WHEN s.id IS NULL THEN 'unknown' WHEN s.root_user_id IS NULL THEN 'unconnected' ELSE 'duplicate' END
      ORDER BY i.n)
  INTO verdicts
  FROM unnest(unique_ids) WITH ORDINALITY AS i (unique_id, n) LEFT JOIN basestation s USING (unique_id);
  IF NOT lenient AND verdicts && '{unknown,unconnected}' THEN
    RETURN verdicts;
  END IF;
  FOR part IN
    -- Of two readings of one moment, the first that was sent.
    SELECT i.id, i.root_user_id, array_agg(i.n ORDER BY i.measured_at) AS places,
      array_agg((dates[i.n], temperatures[i.n], humidities[i.n], brightnesses[i.n], noises[i.n])::measured
      ORDER BY i.measured_at) AS readings
    FROM (
      SELECT DISTINCT ON (s.id, i.measured_at) s.id, s.root_user_id, i.measured_at, i.n::int
      FROM unnest(unique_ids, dates) WITH ORDINALITY AS i (unique_id, measured_at, n) JOIN basestation s USING (unique_id)
      WHERE s.root_user_id IS NOT NULL
      ORDER BY s.id, i.measured_at, i.n
    ) i
    GROUP BY i.id, i.root_user_id ORDER BY i.id
  LOOP
    PERFORM lock_basestation_records(part.id);
    -- One statement with its values: Citus reads a query for an INSERT row by row.
    stored := '{}';
    FOR at IN EXECUTE 'INSERT INTO sleep_reading (basestation_id, root_user_id, measured_at, temperature, humidity, brightness, noise)
      VALUES ' || (
        SELECT string_agg(format('(%s,%s,%L,%s,%s,%s,%s)', part.id, part.root_user_id, r.at, r.temperature, r.humidity,
          r.brightness, r.noise), ',')
        FROM unnest(part.readings) r)
      || ' ON CONFLICT DO NOTHING RETURNING measured_at'
    LOOP
      stored := stored || at;
    END LOOP;
    verdicts := ARRAY(
      SELECT CASE WHEN v.n = ANY (part.places) AND dates[v.n] = ANY (stored) THEN 'stored' ELSE v.verdict END
      FROM unnest(verdicts) WITH ORDINALITY AS v (verdict, n) ORDER BY v.n);
    new_readings := CASE WHEN cardinality(stored) = cardinality(part.readings) THEN part.readings
      ELSE ARRAY(SELECT r FROM unnest(part.readings) r WHERE r.at = ANY (stored)) END;
    PERFORM add_to_daily_readings(part.id, part.root_user_id, new_readings);
    outside := ARRAY(
      SELECT DISTINCT r.at::date FROM unnest(new_readings) r
      WHERE r.temperature NOT BETWEEN bounds[1] AND bounds[2] OR r.humidity NOT BETWEEN bounds[3] AND bounds[4]
        OR r.brightness NOT BETWEEN bounds[5] AND bounds[6] OR r.noise NOT BETWEEN bounds[7] AND bounds[8]);
    IF outside <> '{}' THEN
      PERFORM commit_in_two_phases();
      PERFORM alert_environment_outside_bounds(array_fill(part.id, ARRAY[cardinality(outside)]),
        array_fill(part.root_user_id, ARRAY[cardinality(outside)]), outside);
    END IF;
  END LOOP;
  RETURN coalesce(verdicts, '{}');
END $$;
