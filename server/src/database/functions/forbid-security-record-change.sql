-- The security record is append-only. All that may change is that an address and the hash of a phone number, which are
-- personal data, go, that an address is encrypted again when keys change, that a row which counts errors counts more of
-- them, and that a row takes its place in a closed block, after which it counts no more.
CREATE OR REPLACE FUNCTION forbid_security_record_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.address IS NULL OR OLD.address IS NOT NULL AND current_setting('companion.reencrypting', true) = 'on' THEN
      OLD.address := NEW.address;
    END IF;
    IF NEW.address IS NULL OR NEW.block IS NOT NULL THEN
      NEW.address_hash := NULL;
      OLD.address_hash := NULL;
    END IF;
    IF NEW.phone_hash IS NULL THEN
      OLD.phone_hash := NULL;
    END IF;
    IF NEW.address IS NULL AND NEW.phone_hash IS NULL THEN
      NEW.personal_salt := NULL;
      OLD.personal_salt := NULL;
    END IF;
    IF OLD.block IS NULL THEN
      IF NEW.minute IS NOT NULL THEN
        OLD.times := greatest(OLD.times, NEW.times);
      END IF;
      IF NEW.block IS NOT NULL THEN
        OLD.minute := NULL;
      END IF;
      OLD.block := NEW.block;
      OLD.place := NEW.place;
      OLD.personal_salt := NEW.personal_salt;
      OLD.personal_hash := NEW.personal_hash;
      OLD.row_hash := NEW.row_hash;
    END IF;
    IF NEW IS NOT DISTINCT FROM OLD THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'the security record is append-only' USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER forbid_security_record_change BEFORE UPDATE OR DELETE ON security_record FOR EACH ROW
  EXECUTE FUNCTION forbid_security_record_change();
CREATE OR REPLACE TRIGGER forbid_security_record_truncation BEFORE TRUNCATE ON security_record FOR EACH STATEMENT
  EXECUTE FUNCTION forbid_security_record_change();
