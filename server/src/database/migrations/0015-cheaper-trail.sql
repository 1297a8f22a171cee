-- Every row of the trail is written twice: when it happens, and when its block is closed. The index by child takes it the
-- second time only; what is open are a few minutes, which the index of open rows gives.
DROP INDEX trail_child;
CREATE INDEX trail_child ON trail (real_user_id, at, id) WHERE block IS NOT NULL;
