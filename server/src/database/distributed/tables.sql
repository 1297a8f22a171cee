-- What the distributed tables need beside the tables of one machine. Nothing of it is in anybody's way.

-- Rows that are locked where the records, the notes, and the readings lie.
CREATE TABLE IF NOT EXISTS device_head (id int PRIMARY KEY);
CREATE TABLE IF NOT EXISTS child_head (id int PRIMARY KEY);
CREATE TABLE IF NOT EXISTS basestation_head (id int PRIMARY KEY);

-- No temporary record of a device has a later date, so that a complete one of a later date can be stored without a look at the
-- others. Of a device with a date here that is not infinite, there is a row in `device_head`.
ALTER TABLE device ADD COLUMN IF NOT EXISTS last_temporary_date timestamp NOT NULL DEFAULT 'infinity';

-- Who has records of which device: the shards that hold records of a child. `device_history` says who wears a device since when,
-- and knows nobody from before it was kept.
CREATE TABLE IF NOT EXISTS worn (wearer_id int, device_id int, PRIMARY KEY (wearer_id, device_id));
CREATE OR REPLACE FUNCTION note_worn() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO worn (wearer_id, device_id) VALUES (NEW.real_user_id, NEW.id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER note_worn AFTER INSERT OR UPDATE OF real_user_id ON device FOR EACH ROW
  WHEN (NEW.real_user_id IS NOT NULL) EXECUTE FUNCTION note_worn();

-- Up to which device and note the conversion has filled `worn` and `event_version.child_id`; null when it is done.
--
-- `is_guarded`: whether each record that is stored refers to its device's row in `device_head`, and so locks it.
CREATE TABLE IF NOT EXISTS distribution (
  is_only     boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  device      int DEFAULT 0,
  note        int DEFAULT 0,
  is_guarded  boolean NOT NULL DEFAULT false
);
INSERT INTO distribution DEFAULT VALUES ON CONFLICT DO NOTHING;

ALTER TABLE event_version ADD COLUMN IF NOT EXISTS child_id int;

CREATE TYPE held_record AS (id bigint, child int, date timestamp, file int, is_temp boolean, deletion int);
CREATE TYPE measured AS (at timestamp, temperature float8, humidity float8, brightness int, noise int);

-- The rows that functions answer. A distributed table's own row type is not the one that it had before, and functions of the former
-- go with it.
CREATE TYPE treatment_row AS (
  id bigint, device_id int, real_user_id int, treatment_date timestamp(6), treatment_time int, movement int,
  log_file_id int, last_intensity smallint, finish_flag smallint, is_temp boolean, deleted_at timestamptz,
  intensity_record smallint[], deletion_id int
);
CREATE TYPE event_row AS (
  id int, real_user_id int, event_date date, memo text, event_data jsonb, version int, saved_at timestamptz,
  saved_by int
);
CREATE TYPE event_version_row AS (
  event_id int, version int, event_date date, memo text, event_data jsonb, saved_at timestamptz, saved_by int
);
CREATE TYPE survey_row AS (
  id int, real_user_id int, attention_score int, impulsivity_score int, disorder_score int, created_at timestamptz
);
CREATE TYPE sleep_reading_row AS (
  basestation_id int, root_user_id int, measured_at timestamp(6), temperature float8, humidity float8, brightness int,
  noise int
);
CREATE TYPE reading_day_row AS (
  basestation_id int, date date, root_user_id int, readings int, last_measured_at timestamp(6), temperature numeric,
  humidity numeric, brightness bigint, noise bigint
);
