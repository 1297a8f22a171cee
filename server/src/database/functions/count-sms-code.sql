-- Counts a code that is about to be sent by SMS to a country, and gives it an id; or says for how long no codes
-- are sent there, and whether that has just been decided. Calls for one country wait for each other.
--
-- Codes that nobody enters are sent for what an SMS earns somebody. When of the last 200 codes fewer than 20 were entered,
-- the country is stopped for an hour and then counts from zero. A code has 3 minutes to be entered; no more than 200 wait for
-- that at once, or a flood would be over before it could be judged.
CREATE OR REPLACE FUNCTION count_sms_code(
  to_country text, at timestamptz, OUT sent_code_id bigint, OUT wait_seconds float8, OUT has_stopped boolean
) LANGUAGE plpgsql AS $$
DECLARE
  wait_until timestamptz;
  judged int;
  entered int;
  oldest bigint;
  waiting int;
BEGIN
  has_stopped := false;
  INSERT INTO sms_country AS c (country) VALUES (to_country)
    ON CONFLICT (country) DO UPDATE SET country = excluded.country RETURNING c.stopped_until INTO wait_until;
  -- No longer than an hour, also when a clock that was ahead has said so.
  IF wait_until > at AND wait_until <= at + interval '1 hour' THEN
    wait_seconds := extract(epoch FROM wait_until - at);
    RETURN;
  END IF;
  SELECT count(*), count(*) FILTER (WHERE is_entered), min(id) INTO judged, entered, oldest FROM (
    SELECT id, is_entered FROM sent_code WHERE country = to_country AND sent_at <= at - interval '3 minutes'
    ORDER BY id DESC LIMIT 200) latest;
  IF judged = 200 AND entered < 20 THEN
    DELETE FROM sent_code WHERE country = to_country;
    UPDATE sms_country SET stopped_until = at + interval '1 hour' WHERE country = to_country;
    has_stopped := true;
    wait_seconds := 3600;
    RETURN;
  END IF;
  SELECT count(*), min(sent_at) + interval '3 minutes' INTO waiting, wait_until FROM sent_code
    WHERE country = to_country AND NOT is_entered AND sent_at > at - interval '3 minutes' AND sent_at <= at;
  IF waiting >= 200 THEN
    wait_seconds := extract(epoch FROM wait_until - at);
    RETURN;
  END IF;
  DELETE FROM sent_code WHERE country = to_country AND judged = 200 AND id < oldest;
  INSERT INTO sent_code (country, sent_at) VALUES (to_country, at) RETURNING id INTO sent_code_id;
END $$;
