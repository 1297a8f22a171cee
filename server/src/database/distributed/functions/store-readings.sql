-- Stores what base stations have measured, all or nothing, and alerts the owner, and the guardians of the owner's children,
-- if new readings lie outside of `bounds`: the lowest and the highest value of each measure in turn. Answers how many base
-- stations are unknown, and whether one of all is connected to no account.
CREATE OR REPLACE FUNCTION store_readings(
  unique_ids uuid[], dates timestamp[], temperatures float8[], humidities float8[], brightnesses int[], noises int[],
  bounds float8[], OUT unknown int, OUT has_unconnected boolean
) LANGUAGE plpgsql AS $$
DECLARE
  part record;
  known timestamp[];
  new_readings measured[];
BEGIN
  -- Lock the base stations, so that each reading goes to the account connected on arrival; a fixed order avoids deadlocks.
  PERFORM 1 FROM basestation WHERE unique_id = ANY (unique_ids) ORDER BY id FOR SHARE;
  SELECT count(DISTINCT i.unique_id) FILTER (WHERE s.id IS NULL), coalesce(bool_or(s.root_user_id IS NULL), false)
  INTO unknown, has_unconnected
  FROM unnest(unique_ids) AS i (unique_id) LEFT JOIN basestation s USING (unique_id);
  IF has_unconnected THEN
    RETURN;
  END IF;
  FOR part IN
    SELECT s.id, s.root_user_id, array_agg(i.n ORDER BY i.measured_at, i.n) AS places,
      array_agg(i.measured_at) AS dates
    FROM unnest(unique_ids, dates) WITH ORDINALITY AS i (unique_id, measured_at, n) JOIN basestation s USING (unique_id)
    GROUP BY s.id ORDER BY s.id
  LOOP
    PERFORM hold_station(part.id);
    known := ARRAY(SELECT r.measured_at FROM sleep_reading r
      WHERE r.basestation_id = part.id AND r.measured_at = ANY (part.dates));
    new_readings := ARRAY(
      SELECT DISTINCT ON (dates[i.n]) (dates[i.n], temperatures[i.n], humidities[i.n], brightnesses[i.n],
        noises[i.n])::measured
      FROM unnest(part.places) WITH ORDINALITY AS i (n, place)
      WHERE dates[i.n] <> ALL (known) ORDER BY dates[i.n], i.place);
    FOR n IN 1 .. cardinality(new_readings) LOOP
      INSERT INTO sleep_reading (basestation_id, root_user_id, measured_at, temperature, humidity, brightness, noise)
      VALUES (part.id, part.root_user_id, new_readings[n].at, new_readings[n].temperature, new_readings[n].humidity,
        new_readings[n].brightness, new_readings[n].noise);
    END LOOP;
    PERFORM count_readings_of(part.id, part.root_user_id, new_readings);
    PERFORM alert_outside_bounds(array_agg(part.id), array_agg(part.root_user_id), array_agg(r.date))
      FROM (
        SELECT DISTINCT r.at::date AS date FROM unnest(new_readings) r
        WHERE r.temperature NOT BETWEEN bounds[1] AND bounds[2] OR r.humidity NOT BETWEEN bounds[3] AND bounds[4]
          OR r.brightness NOT BETWEEN bounds[5] AND bounds[6] OR r.noise NOT BETWEEN bounds[7] AND bounds[8]
      ) r
      HAVING count(*) > 0;
    IF FOUND THEN
      PERFORM commit_in_two_phases();
    END IF;
  END LOOP;
END $$;
