-- Keeps who wore a device since when, and with which firmware. A firmware that ran for less than a day is replaced in its
-- row: a device names its own firmware, and may do so with every upload.
CREATE OR REPLACE FUNCTION save_device_history() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  has_new_wearer boolean := NEW.real_user_id IS DISTINCT FROM OLD.real_user_id;
BEGIN
  IF NOT has_new_wearer THEN
    UPDATE device_history SET firmware_id = NEW.now_firmware_id
    WHERE device_id = NEW.id AND until IS NULL AND since > now() - interval '1 day';
    IF FOUND OR NEW.real_user_id IS NULL THEN
      RETURN NEW;
    END IF;
  END IF;
  UPDATE device_history SET until = now(), last_upload_at = OLD.last_upload_at
  WHERE device_id = NEW.id AND until IS NULL;
  IF has_new_wearer THEN
    -- The next family must not learn when the former one last used the device.
    NEW.last_upload_at := NULL;
  END IF;
  IF NEW.real_user_id IS NOT NULL THEN
    INSERT INTO device_history (device_id, real_user_id, firmware_id, since)
    VALUES (NEW.id, NEW.real_user_id, NEW.now_firmware_id,
      CASE WHEN has_new_wearer THEN coalesce(NEW.connected_at, now()) ELSE now() END);
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER save_device_history BEFORE UPDATE OF real_user_id, now_firmware_id ON device FOR EACH ROW
  WHEN (OLD.real_user_id IS DISTINCT FROM NEW.real_user_id OR OLD.now_firmware_id <> NEW.now_firmware_id)
  EXECUTE FUNCTION save_device_history();
-- The row must be there before its history can name it.
CREATE OR REPLACE TRIGGER save_first_device_history AFTER INSERT ON device FOR EACH ROW
  WHEN (NEW.real_user_id IS NOT NULL)
  EXECUTE FUNCTION save_device_history();
