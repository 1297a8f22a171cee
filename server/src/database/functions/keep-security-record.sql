-- Keeps the security record append-only. One change is allowed: the address, which is personal data, may go.
CREATE OR REPLACE FUNCTION keep_security_record() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' THEN
    OLD.address := NULL;
    IF NEW IS NOT DISTINCT FROM OLD THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'the security record is append-only' USING ERRCODE = 'restrict_violation';
END $$;

CREATE OR REPLACE TRIGGER keep_security_record BEFORE UPDATE OR DELETE ON security_record FOR EACH ROW
  EXECUTE FUNCTION keep_security_record();
CREATE OR REPLACE TRIGGER keep_security_records BEFORE TRUNCATE ON security_record FOR EACH STATEMENT
  EXECUTE FUNCTION keep_security_record();
