-- Keeps who has worn a device.
CREATE OR REPLACE FUNCTION record_wearer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO worn (wearer_id, device_id) VALUES (NEW.real_user_id, NEW.id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER record_wearer AFTER INSERT OR UPDATE OF real_user_id ON device FOR EACH ROW
  WHEN (NEW.real_user_id IS NOT NULL) EXECUTE FUNCTION record_wearer();
