-- The moment at which clocks of a zone show a local time of whole minutes: the first one if it comes twice; if it does not exist,
-- the next that does. PostgreSQL itself takes the second, and counts on from the time before the gap.
CREATE OR REPLACE FUNCTION moment_of(local timestamp, zone text) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
DECLARE
  moment timestamptz := local AT TIME ZONE zone;
  ahead interval := (moment AT TIME ZONE zone) - local;
  first timestamptz;
BEGIN
  IF ahead > interval '0' THEN
    RETURN (SELECT min(m) FROM generate_series(moment - ahead, moment, interval '1 minute') m
      WHERE m AT TIME ZONE zone >= local);
  END IF;
  -- By the clock of the day before.
  first := moment - (((moment - interval '24 hours') AT TIME ZONE zone) + interval '24 hours' - local);
  RETURN CASE WHEN first < moment AND first AT TIME ZONE zone = local THEN first ELSE moment END;
END $$;
