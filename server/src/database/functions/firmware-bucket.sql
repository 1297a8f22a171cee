-- Where a device stands in a release: the first 32 bits of SHA-256("release_id:unique_id"). A step of n percent covers what is
-- below n percent of 2^32, so that each step holds the one before.
CREATE OR REPLACE FUNCTION firmware_bucket(release int, unique_id uuid) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT ('x' || encode(substr(sha256(convert_to(release || ':' || unique_id, 'UTF8')), 1, 4), 'hex'))::bit(32)::bigint
$$;
