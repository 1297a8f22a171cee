-- Uploads on their way to the trail: docs/decisions/trail.md. A process writes a row of each minute twice a second. When the
-- minute is over, they become rows of the trail that are in their block from the beginning.
CREATE TABLE trail_upload (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The minute.
  at             timestamptz(3) NOT NULL,
  operation      text NOT NULL,
  -- Of each, who it was: the account that showed its token, or else the device.
  accounts       int[] NOT NULL,
  devices        int[] NOT NULL,
  -- As in the trail.
  children       int[] NOT NULL,
  outcomes       text[] NOT NULL,
  times          int[] NOT NULL,
  address_hashes bytea[] NOT NULL,
  request_ids    text[] NOT NULL
);
