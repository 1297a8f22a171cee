-- Tells the client, and the account, that a grant has ended for a child: as a whole, or because the child was taken out of it.
CREATE OR REPLACE FUNCTION record_ended_grants() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  grants int[];
  children int[];
BEGIN
  IF TG_TABLE_NAME = 'access_grant' THEN
    SELECT array_agg(c.grant_id), array_agg(c.real_user_id) INTO grants, children
    FROM before b JOIN after a USING (id) JOIN access_grant_child c ON c.grant_id = a.id
    WHERE b.ended_at IS NULL AND a.ended_at IS NOT NULL;
  ELSE
    -- The grant may have ended with its last child, in this statement. One that had ended before was told of.
    SELECT array_agg(b.grant_id), array_agg(b.real_user_id) INTO grants, children
    FROM before b JOIN access_grant g ON g.id = b.grant_id
    WHERE g.ended_at IS NULL OR g.ended_at = now()::timestamptz(3);
  END IF;
  INSERT INTO change (kind, real_user_id, subject_id, account_id, client_id)
  SELECT 'grant.ended', e.real_user_id, g.id, g.root_user_id, reader.client_id
  FROM unnest(grants, children) AS e (grant_id, real_user_id) JOIN access_grant g ON g.id = e.grant_id
  CROSS JOIN LATERAL (VALUES (NULL), (g.client_id)) AS reader (client_id)
  ORDER BY e.real_user_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER record_ended_grants AFTER UPDATE ON access_grant
  REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION record_ended_grants();
CREATE OR REPLACE TRIGGER record_ended_grants AFTER DELETE ON access_grant_child REFERENCING OLD TABLE AS before
  FOR EACH STATEMENT EXECUTE FUNCTION record_ended_grants();
