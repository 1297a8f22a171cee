-- Uploads count for a day: docs/decisions/trail.md. What waits in lists of minutes is counted there.
ALTER TABLE trail_upload RENAME TO trail_upload_list;

-- A row is updated with each upload of its device, on its page as long as there is room.
CREATE TABLE trail_upload (
  id            bigint NOT NULL DEFAULT nextval('trail_id_seq'),
  at            timestamptz(3) NOT NULL,
  actor_kind    text NOT NULL,
  actor         text NOT NULL,
  operation     text NOT NULL,
  real_user_id  int,
  outcome       text NOT NULL,
  times         int NOT NULL,
  address_hash  bytea,
  request_id    text
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX trail_upload_counted ON trail_upload (at, real_user_id, actor_kind, actor, operation, outcome);
COMMENT ON TABLE trail_upload IS 'Uploads of a day, until they are rows of the trail; see `trail/uploads.ts`.';
COMMENT ON COLUMN trail_upload.id IS 'That of the row of the trail.';
COMMENT ON COLUMN trail_upload.at IS 'The beginning of the day, in UTC.';

INSERT INTO trail_upload (at, actor_kind, actor, operation, real_user_id, outcome, times, address_hash, request_id)
SELECT date_trunc('day', at AT TIME ZONE 'UTC') AT TIME ZONE 'UTC', CASE WHEN account IS NULL THEN 'device' ELSE 'account' END,
  coalesce(account, device)::text, operation, child, outcome, sum(often), (array_agg(address_hash))[1], min(request_id)
FROM trail_upload_list, unnest(accounts, devices, children, outcomes, times, address_hashes, request_ids)
  AS u (account, device, child, outcome, often, address_hash, request_id)
GROUP BY 1, 2, 3, 4, 5, 6;
DROP TABLE trail_upload_list;
