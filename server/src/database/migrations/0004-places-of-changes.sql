-- A change has its place by the transactions that write changes, no longer by all of the server: docs/decisions/changes-feed.md.
-- The function `feed_place` gives it.
COMMENT ON COLUMN change.xact_id IS 'Its place, with `id`: above all transactions that had ended when its own first wrote a change, and not below its own.';
