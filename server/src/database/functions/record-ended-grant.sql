-- Tells the client, and the account, that a grant has ended: once for each child.
CREATE OR REPLACE FUNCTION record_ended_grant() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO change (kind, real_user_id, subject_id, account_id, client_id)
  SELECT 'grant.ended', c.real_user_id, NEW.id, NEW.root_user_id, reader.client_id
  FROM access_grant_child c CROSS JOIN LATERAL (VALUES (NULL), (NEW.client_id)) AS reader (client_id)
  WHERE c.grant_id = NEW.id
  ORDER BY c.real_user_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER record_ended_grant AFTER UPDATE OF ended_at ON access_grant FOR EACH ROW
  WHEN (OLD.ended_at IS NULL AND NEW.ended_at IS NOT NULL)
  EXECUTE FUNCTION record_ended_grant();
