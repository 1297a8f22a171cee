-- Erases the readings and connections of an account's base stations, whichever way it is deleted.
CREATE OR REPLACE FUNCTION release_basestations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- First, because it waits for uploads that still write for this account.
  PERFORM FROM basestation WHERE root_user_id = NEW.id ORDER BY id FOR UPDATE;
  UPDATE basestation SET root_user_id = NULL, connected_at = NULL WHERE root_user_id = NEW.id;
  PERFORM erase_readings_of_account(NEW.id);
  DELETE FROM basestation_connection WHERE root_user_id = NEW.id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER release_basestations AFTER UPDATE OF deleted_at ON root_user FOR EACH ROW
  WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
  EXECUTE FUNCTION release_basestations();
