-- When the quiet hours end in which a moment lies; null if it lies in none. `quiet_from` and `quiet_to` are hh:mm.
CREATE OR REPLACE FUNCTION quiet_until(moment timestamptz, zone text, quiet_from text, quiet_to text) RETURNS timestamptz
  LANGUAGE plpgsql STABLE AS $$
DECLARE
  local timestamp;
  shown text;
  last timestamp;
BEGIN
  IF quiet_from IS NULL OR quiet_to IS NULL OR quiet_from = quiet_to THEN
    RETURN NULL;
  END IF;
  local := moment AT TIME ZONE zone;
  shown := to_char(local, 'HH24:MI');
  -- Those over midnight are not between their times, but outside of the others.
  IF (quiet_from < quiet_to AND (shown < quiet_from OR shown >= quiet_to))
    OR (quiet_from > quiet_to AND shown < quiet_from AND shown >= quiet_to) THEN
    RETURN NULL;
  END IF;
  last := local::date + (shown >= quiet_to)::int + quiet_to::time;
  -- The second, where the first has passed.
  RETURN CASE WHEN moment_of(last, zone) > moment THEN moment_of(last, zone) ELSE last AT TIME ZONE zone END;
END $$;
