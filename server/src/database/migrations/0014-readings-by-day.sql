-- What base stations measured, summed by date for good, and one by one for some months: docs/decisions/readings-by-day.md.

-- The exact sums of one date. Readings are late when they are older than those kept one by one: then only what was measured
-- after `last_measured_at` is new.
CREATE TABLE reading_day (
  basestation_id   int NOT NULL,
  date             date NOT NULL,
  root_user_id     int NOT NULL,
  readings         int NOT NULL,
  last_measured_at timestamp(6) NOT NULL,
  temperature      numeric NOT NULL,
  humidity         numeric NOT NULL,
  brightness       bigint NOT NULL,
  noise            bigint NOT NULL,
  PRIMARY KEY (basestation_id, date, root_user_id)
-- Room on its page for the next version of a row, which every upload of the day makes.
) WITH (fillfactor = 80);

-- One row: readings measured from then on are kept one by one, and up to which base station older ones have been summed,
-- null when all have. They are summed beside the servers: ../sum-readings.ts.
CREATE TABLE reading_horizon (
  is_only        boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  raw_from       timestamp(6) NOT NULL,
  summed_station int
);
INSERT INTO reading_horizon (raw_from, summed_station)
SELECT '-infinity', CASE WHEN EXISTS (SELECT FROM basestation) THEN 0 END;

-- The table so far becomes the first partition, as it lies. Its key carried the values for charts, which read sums now. An
-- operator with a large table makes this index beforehand, concurrently: docs/operations/upgrade.md.
CREATE UNIQUE INDEX IF NOT EXISTS sleep_reading_first_pkey ON sleep_reading (basestation_id, measured_at);
ALTER TABLE sleep_reading RENAME TO sleep_reading_first;
ALTER TABLE sleep_reading_first DROP CONSTRAINT sleep_reading_pkey;
ALTER TABLE sleep_reading_first ADD PRIMARY KEY USING INDEX sleep_reading_first_pkey;

CREATE TABLE sleep_reading (LIKE sleep_reading_first, PRIMARY KEY (basestation_id, measured_at))
  PARTITION BY RANGE (measured_at);
-- Of clocks that are ahead, and late readings until they are purged.
CREATE TABLE sleep_reading_other PARTITION OF sleep_reading DEFAULT;

DO $$
DECLARE
  monday timestamp := date_trunc('week', now()::timestamp) + interval '1 week';
BEGIN
  WITH ahead AS (DELETE FROM sleep_reading_first WHERE measured_at >= monday RETURNING *)
  INSERT INTO sleep_reading_other SELECT * FROM ahead;
  EXECUTE format(
    'ALTER TABLE sleep_reading ATTACH PARTITION sleep_reading_first FOR VALUES FROM (MINVALUE) TO (%L)', monday);
END $$;
