-- The grants that are in force now; see `grant_in_force`.
CREATE OR REPLACE FUNCTION live_grants() RETURNS SETOF access_grant LANGUAGE sql STABLE AS $$
  SELECT * FROM access_grant g WHERE grant_in_force(g.ended_at, g.expires_at, now())
$$;
