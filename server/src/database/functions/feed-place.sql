-- The place of what this transaction changes, the same for all of it. Readers stay before it until the transaction ends, by a lock
-- that bears a lower bound of it: the place is taken behind the lock, so that it is at or above the horizon of every reader who has
-- not seen the lock. Not below the transaction's own id: versions before this function tell places from open transactions by ids.
CREATE OR REPLACE FUNCTION feed_place() RETURNS xid8 LANGUAGE plpgsql AS $$
DECLARE
  place text := nullif(current_setting('companion.feed_place', true), '');
BEGIN
  IF place IS NULL THEN
    -- With one snapshot for all of its statements, a transaction would take a place that readers have passed.
    ASSERT current_setting('transaction_isolation') = 'read committed', 'Changes are written by READ COMMITTED transactions';
    PERFORM pg_advisory_xact_lock_shared(7305,
      (pg_snapshot_xmax(pg_current_snapshot())::text::bigint & 4294967295)::bit(32)::int);
    place := greatest(pg_snapshot_xmax(pg_current_snapshot()), pg_current_xact_id());
    PERFORM set_config('companion.feed_place', place, true);
  END IF;
  RETURN place::xid8;
END $$;

ALTER TABLE change ALTER COLUMN xact_id SET DEFAULT feed_place();
