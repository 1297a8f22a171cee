-- The holder of the account may use it. The planner puts the text of this function in its place.
CREATE OR REPLACE FUNCTION is_active_account(account root_user) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT account.deleted_at IS NULL AND account.blocked_at IS NULL
$$;
