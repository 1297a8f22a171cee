-- Keeps consents append-only. A row goes only with its account, which is gone when the foreign key deletes the row.
CREATE OR REPLACE FUNCTION forbid_consent_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND NOT EXISTS (SELECT FROM root_user WHERE id = OLD.root_user_id) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'consents are append-only' USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER forbid_consent_change BEFORE UPDATE OR DELETE ON consent
  FOR EACH ROW EXECUTE FUNCTION forbid_consent_change();
