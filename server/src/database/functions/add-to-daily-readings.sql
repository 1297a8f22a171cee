-- Adds the new readings of a base station, which the caller holds, to the sums of their dates. Of late ones it can no longer be
-- seen which were there; base stations send in order, so those up to the last one of their date were.
CREATE OR REPLACE FUNCTION add_to_daily_readings(station int, account int, new_readings measured[]) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  raw_from timestamp := (SELECT h.raw_from FROM reading_horizon h WHERE h.is_only);
  day record;
  last_one timestamp;
BEGIN
  FOR day IN
    SELECT r.at::date AS date, min(r.at) AS first_measured_at FROM unnest(new_readings) r GROUP BY 1 ORDER BY 1
  LOOP
    last_one := NULL;
    IF day.first_measured_at < raw_from THEN
      SELECT max(d.last_measured_at) INTO last_one FROM reading_day d
        WHERE d.basestation_id = station AND d.date = day.date;
    END IF;
    SELECT count(*)::int AS readings, max(r.at) AS last_measured_at, sum(r.temperature::numeric) AS temperature,
        sum(r.humidity::numeric) AS humidity, sum(r.brightness) AS brightness, sum(r.noise) AS noise, day.date
      INTO day FROM unnest(new_readings) r
      WHERE r.at::date = day.date AND (r.at >= raw_from OR last_one IS NULL OR r.at > last_one);
    IF day.readings > 0 THEN
      INSERT INTO reading_day AS d
        (basestation_id, date, root_user_id, readings, last_measured_at, temperature, humidity, brightness, noise)
      VALUES (station, day.date, account, day.readings, day.last_measured_at, day.temperature, day.humidity, day.brightness,
        day.noise)
      ON CONFLICT (basestation_id, date, root_user_id) DO UPDATE SET
        readings = d.readings + excluded.readings,
        last_measured_at = greatest(d.last_measured_at, excluded.last_measured_at),
        temperature = d.temperature + excluded.temperature,
        humidity = d.humidity + excluded.humidity,
        brightness = d.brightness + excluded.brightness,
        noise = d.noise + excluded.noise;
    END IF;
  END LOOP;
END $$;
