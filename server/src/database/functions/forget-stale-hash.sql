-- An older version changes an e-mail address or a phone number without its hash.
CREATE OR REPLACE FUNCTION forget_stale_hash() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.email IS DISTINCT FROM OLD.email AND NEW.email_hash = OLD.email_hash
    AND NOT coalesce(starts_with(NEW.email, E'\x02'), false) THEN
    NEW.email_hash := NULL;
  END IF;
  IF NEW.phone IS DISTINCT FROM OLD.phone AND NEW.phone_hash = OLD.phone_hash
    AND NOT coalesce(starts_with(NEW.phone, E'\x02'), false) THEN
    NEW.phone_hash := NULL;
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER forget_stale_hash BEFORE UPDATE OF email, phone ON root_user FOR EACH ROW
  EXECUTE FUNCTION forget_stale_hash();
