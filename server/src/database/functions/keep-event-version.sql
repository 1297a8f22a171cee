-- Keeps the version of an event that an update replaces, whichever way it is changed.
CREATE OR REPLACE FUNCTION keep_event_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO event_version (event_id, version, event_date, memo, event_data, saved_at, saved_by)
  VALUES (OLD.id, OLD.version, OLD.event_date, OLD.memo, OLD.event_data, OLD.saved_at, OLD.saved_by);
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER keep_event_version BEFORE UPDATE ON event FOR EACH ROW
  WHEN ((OLD.event_date, OLD.memo, OLD.event_data) IS DISTINCT FROM (NEW.event_date, NEW.memo, NEW.event_data)
    -- Another value of the same content.
    AND current_setting('companion.reencrypting', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION keep_event_version();
