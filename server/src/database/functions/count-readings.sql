-- Adds new readings to the sums of their dates. A repeated reading is not new. Of late ones it can no longer be seen which
-- were there; base stations send in order, so those up to the last one of their date were.
CREATE OR REPLACE FUNCTION count_readings() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO reading_day AS day
    (basestation_id, date, root_user_id, readings, last_measured_at, temperature, humidity, brightness, noise)
  SELECT r.basestation_id, r.measured_at::date, r.root_user_id, count(*), max(r.measured_at),
    sum(r.temperature::numeric), sum(r.humidity::numeric), sum(r.brightness), sum(r.noise)
  FROM new_reading r
  WHERE r.measured_at >= (SELECT raw_from FROM reading_horizon)
    OR r.measured_at > ALL (
      SELECT d.last_measured_at FROM reading_day d
      WHERE d.basestation_id = r.basestation_id AND d.date = r.measured_at::date)
  GROUP BY 1, 2, 3
  ORDER BY 1, 2, 3
  ON CONFLICT (basestation_id, date, root_user_id) DO UPDATE SET
    readings = day.readings + excluded.readings,
    last_measured_at = greatest(day.last_measured_at, excluded.last_measured_at),
    temperature = day.temperature + excluded.temperature,
    humidity = day.humidity + excluded.humidity,
    brightness = day.brightness + excluded.brightness,
    noise = day.noise + excluded.noise;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER count_readings AFTER INSERT ON sleep_reading
  REFERENCING NEW TABLE AS new_reading FOR EACH STATEMENT EXECUTE FUNCTION count_readings();
