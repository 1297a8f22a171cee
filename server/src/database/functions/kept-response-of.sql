-- Takes the key of a call for this transaction, and answers what an earlier call under it was answered. `is_free` is false while
-- another call has the key. In PL/pgSQL, so that the look-up sees what was committed before the key was free.
CREATE OR REPLACE FUNCTION kept_response_of(account int, client int, key bytea, lock_id bigint, roles text[], on_date date)
RETURNS TABLE (is_free boolean, input_hash bytea, response text, children int[], is_allowed boolean) LANGUAGE plpgsql AS $$
DECLARE
  kept kept_response;
BEGIN
  IF NOT pg_try_advisory_xact_lock(lock_id) THEN
    is_free := false;
    RETURN NEXT;
    RETURN;
  END IF;
  is_free := true;
  SELECT * INTO kept FROM kept_response k WHERE k.root_user_id = account AND k.client_id = client AND k.key_hash = key;
  IF kept.created_at > now() - interval '24 hours' THEN
    input_hash := kept.input_hash;
    response := kept.response;
    children := kept.children;
    is_allowed := children = '{}' OR children <@ children_reached(children, account, roles, on_date);
  ELSIF FOUND THEN
    DELETE FROM kept_response k WHERE k.root_user_id = account AND k.client_id = client AND k.key_hash = key;
  END IF;
  RETURN NEXT;
END $$;
