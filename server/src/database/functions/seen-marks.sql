-- The marks that the figures of children have, once the records show what those who made the marks have stored.
CREATE OR REPLACE FUNCTION seen_marks(children int[]) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
  seen bigint[] := ARRAY(
    SELECT m.id FROM clinic_connection c JOIN outdated_figures m ON m.connection_id = c.id
    WHERE c.real_user_id = ANY (children) AND c.ended_at IS NULL);
BEGIN
  PERFORM await_records(children);
  RETURN seen;
END $$;
