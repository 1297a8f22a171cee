-- The grants that neither their account nor time has ended. Whether the account or the client is blocked is asked apart.
CREATE OR REPLACE FUNCTION live_grant() RETURNS SETOF access_grant LANGUAGE sql STABLE AS $$
  SELECT * FROM access_grant WHERE ended_at IS NULL AND (expires_at IS NULL OR expires_at > now())
$$;
