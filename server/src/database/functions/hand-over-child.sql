-- Gives a child, which the caller holds, to another account on a date of the service. What its charts show of the base stations of
-- the former owner stays with it, open invitations and offers end, as do connections with
-- clinics, and it leaves all grants: what the former owner has allowed, the new one has not.
CREATE OR REPLACE FUNCTION hand_over_child(child int, receiver int, on_date date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  owner int;
  since date;
  station int;
BEGIN
  SELECT r.root_user_id, r.owner_since INTO owner, since FROM real_user r WHERE r.id = child;
  SELECT b.id INTO station FROM basestation b WHERE b.root_user_id = owner ORDER BY b.connected_at, b.id LIMIT 1;
  INSERT INTO past_reading_day (real_user_id, date, basestation_id, readings, temperature, humidity, brightness, noise)
  SELECT child, d.date, station, d.readings, d.temperature, d.humidity, d.brightness, d.noise
  FROM basestation_daily_readings(station, owner, coalesce(since, '-infinity'), 'infinity') d
  ON CONFLICT DO NOTHING;
  UPDATE real_user SET root_user_id = receiver, owner_since = on_date WHERE id = child;
  PERFORM end_grants_of_child(child);
  UPDATE clinic_connection SET ended_at = now() WHERE real_user_id = child AND ended_at IS NULL;
  DELETE FROM invitation WHERE real_user_id = child;
  DELETE FROM transfer_offer WHERE real_user_id = child;
END $$;
