-- The sums by date of what base stations have measured around a child: of its former owners until it was handed over, then of the
-- base station `station` of its present owner `account`. `since` is `real_user.owner_since`.
CREATE OR REPLACE FUNCTION child_daily_readings(child int, since date, station int, account int, first date, last date) RETURNS TABLE (
  date date, readings int, temperature numeric, humidity numeric, brightness bigint, noise bigint
) LANGUAGE sql STABLE ROWS 31 AS $$
  SELECT d.date, d.readings, d.temperature, d.humidity, d.brightness, d.noise
  FROM basestation_daily_readings(station, account, greatest(first, since), last) d
  WHERE since IS NULL OR NOT EXISTS (SELECT FROM past_reading_day p WHERE p.real_user_id = child AND p.date = d.date)
  UNION ALL
  SELECT p.date, p.readings, p.temperature, p.humidity, p.brightness, p.noise FROM past_reading_day p
  WHERE since IS NOT NULL AND p.real_user_id = child AND p.date >= first AND p.date <= last
$$;
