-- The zone, or the other one if this PostgreSQL does not know it: its list may be older than the one that judged the name.
CREATE OR REPLACE FUNCTION known_zone_or_default(zone text, otherwise text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF zone IS NULL OR now() AT TIME ZONE zone IS NULL THEN
    RETURN otherwise;
  END IF;
  RETURN zone;
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN otherwise;
END $$;
