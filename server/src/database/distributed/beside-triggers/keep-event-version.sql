-- As on one machine, with the child whose note it is.
CREATE OR REPLACE FUNCTION keep_event_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO event_version (child_id, event_id, version, event_date, memo, event_data, saved_at, saved_by)
  VALUES (OLD.real_user_id, OLD.id, OLD.version, OLD.event_date, OLD.memo, OLD.event_data, OLD.saved_at, OLD.saved_by);
  NEW.version := OLD.version + 1;
  RETURN NEW;
END $$;
