-- Notes that the holder of an account is here, at most once a day: it signs up, signs in, or its app refreshes the session.
-- That stops an erasure for inactivity.
CREATE OR REPLACE FUNCTION note_activity() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'root_user' THEN
    INSERT INTO account_activity (root_user_id, seen_at) VALUES (NEW.id, NEW.created_at);
  ELSE
    INSERT INTO account_activity AS a (root_user_id, seen_at) VALUES (NEW.root_user_id, NEW.issued_at)
    ON CONFLICT (root_user_id) DO UPDATE SET seen_at = excluded.seen_at, told_at = NULL
      WHERE a.told_at IS NOT NULL OR a.seen_at < excluded.seen_at - interval '1 day';
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER note_new_account AFTER INSERT ON root_user FOR EACH ROW EXECUTE FUNCTION note_activity();
CREATE OR REPLACE TRIGGER note_session AFTER INSERT OR UPDATE OF issued_at ON session FOR EACH ROW
  EXECUTE FUNCTION note_activity();
