-- Drops what `tables.sql` and the functions for distributed tables have added.
DROP TRIGGER note_worn ON device;
DROP FUNCTION note_worn();
DROP FUNCTION IF EXISTS hold_device(int), hold_child(int), hold_station(int), last_temporary_of(int), refuse_older_view(regclass), tell_of(text, int[], bigint[], date[]),
  tell_always(text, int[], bigint[], date[]),
  alert_of_contact_faults(int[], int[], timestamp[]), change_event(int, int, date, text, jsonb, timestamptz, int),
  keep_records(int[], int[], timestamp[], int[], timestamp[], int[], int[], int[], smallint[], smallint[], boolean[], text[]),
  store_records(int, int, int[], bigint[], timestamp[], int[], int[], int[], smallint[], smallint[], boolean[], text[]),
  count_readings_of(int, int, measured[]), commit_in_two_phases();
DROP TYPE held_record, measured, treatment_row, event_row, event_version_row, survey_row, sleep_reading_row, reading_day_row;
DROP TABLE device_head, child_head, basestation_head, worn, two_phases, distribution;
ALTER TABLE event_version DROP COLUMN child_id;
ALTER TABLE device DROP COLUMN last_temporary_date;
