-- Notes when what is shown of a row has last changed; the triggers name the columns.
CREATE OR REPLACE FUNCTION set_updated_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.updated_at := now();
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER set_updated_at_of_child BEFORE UPDATE OF first_name, last_name, birthdate, gender ON real_user FOR EACH ROW
  WHEN ((OLD.first_name, OLD.last_name, OLD.birthdate, OLD.gender)
    IS DISTINCT FROM (NEW.first_name, NEW.last_name, NEW.birthdate, NEW.gender)
    -- Another value of the same content.
    AND current_setting('companion.reencrypting', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION set_updated_at();

CREATE OR REPLACE TRIGGER set_updated_at_of_device BEFORE UPDATE OF real_user_id, device_alias, now_firmware_id ON device FOR EACH ROW
  WHEN ((OLD.real_user_id, OLD.device_alias, OLD.now_firmware_id)
    IS DISTINCT FROM (NEW.real_user_id, NEW.device_alias, NEW.now_firmware_id)
    AND current_setting('companion.reencrypting', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION set_updated_at();
