-- A device that runs the firmware it was offered has installed it, however the service comes to know: by a report, an upload or a
-- question.
CREATE OR REPLACE FUNCTION note_installed_firmware() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE device_firmware SET outcome = 'installed', stage = NULL, detail = NULL, reported_at = now(), is_under_way = false,
    was_active = CASE WHEN installed_at IS NULL THEN coalesce(NEW.last_upload_at >= now() - interval '7 days', false) ELSE was_active END,
    installed_at = coalesce(installed_at, now())
  WHERE device_id = NEW.id AND firmware_id = NEW.now_firmware_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER note_installed_firmware AFTER UPDATE OF now_firmware_id ON device FOR EACH ROW
  WHEN (OLD.now_firmware_id <> NEW.now_firmware_id)
  EXECUTE FUNCTION note_installed_firmware();
