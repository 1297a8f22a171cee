-- Erases a child's notes, surveys, records set aside, the journal of those shifted, the history of its devices, and who may
-- or did see it, whichever way it is deleted.
CREATE OR REPLACE FUNCTION erase_child() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM event WHERE real_user_id = NEW.id;
  DELETE FROM survey WHERE real_user_id = NEW.id;
  DELETE FROM rejected_devlog WHERE real_user_id = NEW.id;
  DELETE FROM shifted_devlog WHERE real_user_id = NEW.id;
  -- In the order in which all lock them.
  PERFORM FROM membership WHERE real_user_id = NEW.id ORDER BY id FOR UPDATE;
  DELETE FROM membership WHERE real_user_id = NEW.id;
  DELETE FROM invitation WHERE real_user_id = NEW.id;
  DELETE FROM child_access WHERE real_user_id = NEW.id;
  DELETE FROM application_access WHERE real_user_id = NEW.id;
  PERFORM end_grants_of_child(NEW.id);
  DELETE FROM device_history WHERE real_user_id = NEW.id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER erase_child AFTER UPDATE OF deleted_at ON real_user FOR EACH ROW
  WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
  EXECUTE FUNCTION erase_child();
