-- The trail is append-only. A row counts until its block is closed. After that all that may change is the old value, which
-- goes when its child is erased, and is encrypted again when keys change; its hash shows that it says the same.
CREATE OR REPLACE FUNCTION forbid_trail_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.old_value IS NULL THEN
      NEW.personal_salt := NULL;
      OLD.personal_salt := NULL;
    END IF;
    IF OLD.old_value IS NOT NULL THEN
      OLD.old_value := NEW.old_value;
    END IF;
    IF OLD.block IS NULL THEN
      OLD.times := greatest(OLD.times, NEW.times);
      OLD.block := NEW.block;
      OLD.place := NEW.place;
      OLD.personal_salt := NEW.personal_salt;
      OLD.personal_hash := NEW.personal_hash;
      OLD.row_hash := NEW.row_hash;
    END IF;
    IF NEW IS NOT DISTINCT FROM OLD THEN
      RETURN NEW;
    END IF;
  ELSIF TG_OP = 'DELETE' THEN
    IF OLD.at < (SELECT kept_since::timestamp AT TIME ZONE 'UTC' FROM chain_head WHERE record = 'trail') THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'the trail is append-only' USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER forbid_trail_change BEFORE DELETE ON trail FOR EACH ROW EXECUTE FUNCTION forbid_trail_change();
-- Counting an open row and closing its block, the most frequent changes, are let through without a call of the function.
CREATE OR REPLACE TRIGGER forbid_trail_row_change BEFORE UPDATE ON trail FOR EACH ROW
  WHEN (NOT (
    OLD.block IS NULL AND OLD.old_value IS NULL AND NEW.old_value IS NULL AND NEW.personal_salt IS NULL
    AND NEW.times >= OLD.times
    AND (NEW.id, NEW.at, NEW.actor_kind, NEW.actor, NEW.operation, NEW.real_user_id, NEW.outcome, NEW.is_counted,
      NEW.address_hash, NEW.request_id)
    IS NOT DISTINCT FROM (OLD.id, OLD.at, OLD.actor_kind, OLD.actor, OLD.operation, OLD.real_user_id, OLD.outcome,
      OLD.is_counted, OLD.address_hash, OLD.request_id)
  ))
  EXECUTE FUNCTION forbid_trail_change();
CREATE OR REPLACE TRIGGER forbid_trail_truncation BEFORE TRUNCATE ON trail FOR EACH STATEMENT EXECUTE FUNCTION forbid_trail_change();
