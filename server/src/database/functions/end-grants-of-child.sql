-- Takes a child out of all grants, and ends those that are for no other child.
CREATE OR REPLACE FUNCTION end_grants_of_child(child int) RETURNS void LANGUAGE sql AS $$
  WITH taken AS (DELETE FROM access_grant_child WHERE real_user_id = child RETURNING grant_id)
  UPDATE access_grant g SET ended_at = now()
  WHERE ended_at IS NULL AND id IN (SELECT grant_id FROM taken)
    AND NOT EXISTS (SELECT FROM access_grant_child WHERE grant_id = g.id AND real_user_id <> child)
$$;
