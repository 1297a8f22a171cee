-- Waits until all who are changing the children's data have committed; who changes them later waits for this transaction, and
-- then sees that the child is watched. All of them hold the child or one of its devices. So no change is committed after the
-- right that is not told, and none is lost between a reader's first look and the feed.
CREATE OR REPLACE FUNCTION await_pending_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM real_user WHERE id IN (SELECT real_user_id FROM added) ORDER BY id FOR NO KEY UPDATE;
  PERFORM FROM device WHERE real_user_id IN (SELECT real_user_id FROM added)
    -- Of a former wearer, a temporary record may be completed.
    OR id IN (SELECT h.device_id FROM device_history h JOIN added USING (real_user_id))
    ORDER BY id FOR NO KEY UPDATE;
  IF TG_TABLE_NAME = 'access_grant_child' THEN
    INSERT INTO change (kind, real_user_id, subject_id, account_id, client_id)
    SELECT 'grant.started', a.real_user_id, g.id, g.root_user_id, reader.client_id
    FROM added a JOIN access_grant g ON g.id = a.grant_id
    CROSS JOIN LATERAL (VALUES (NULL), (g.client_id)) AS reader (client_id)
    ORDER BY a.real_user_id;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER await_pending_changes AFTER INSERT ON membership REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION await_pending_changes();
CREATE OR REPLACE TRIGGER await_pending_changes AFTER INSERT ON access_grant_child REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION await_pending_changes();
