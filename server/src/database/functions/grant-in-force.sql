-- Whether a grant is in force at a time: neither its account nor time has ended it. Whether the account or the client is blocked is
-- asked apart. The planner puts the text of this function in its place.
CREATE OR REPLACE FUNCTION grant_in_force(ended_at timestamptz, expires_at timestamptz, at timestamptz) RETURNS boolean
  LANGUAGE sql IMMUTABLE AS 'SELECT ended_at IS NULL AND (expires_at IS NULL OR expires_at > at)';
