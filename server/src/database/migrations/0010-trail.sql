-- Who has reached a child's data, and the chains by which it and the security record show that nobody has changed them:
-- docs/decisions/trail.md.

-- Who did what with a child's data. A counted row has the minute as its `at`, and tells how often; others tell of one change.
-- There are no foreign keys: a row outlives the account and the child, under ids that then lead to nobody.
CREATE TABLE trail (
  id            bigint GENERATED ALWAYS AS IDENTITY,
  at            timestamptz(3) NOT NULL,
  -- account (the child's, or a stranger's), member, client, device, operator; service tells of rows that were lost.
  actor_kind    text NOT NULL,
  -- The id, or the name of an operator.
  actor         text NOT NULL,
  operation     text NOT NULL,
  real_user_id  int,
  -- ok, or the refusal.
  outcome       text NOT NULL,
  times         int NOT NULL DEFAULT 1,
  is_counted    boolean NOT NULL,
  address_hash  bytea,
  request_id    text,
  -- What a change has replaced. Erased with the child.
  old_value     text,
  -- The place in the chain. Null until its block is closed.
  block         bigint,
  place         int,
  personal_salt bytea,
  personal_hash bytea,
  row_hash      bytea
) PARTITION BY RANGE (at);
-- Until its block is closed, a row goes on counting.
CREATE UNIQUE INDEX trail_counted ON trail (at, actor_kind, actor, operation, real_user_id, outcome)
  WHERE is_counted AND block IS NULL;
CREATE INDEX trail_open ON trail (at, id) WHERE block IS NULL;
CREATE INDEX trail_block ON trail (block, place) WHERE block IS NOT NULL;
CREATE INDEX trail_child ON trail (real_user_id, at, id);
-- By the hour, of all but the owner: `shares.access`.
CREATE INDEX trail_others ON trail (real_user_id, date_bin('1 hour', at, to_timestamp(0)))
  WHERE outcome = 'ok' AND actor_kind IN ('member', 'client');
CREATE INDEX trail_old_value ON trail (real_user_id) WHERE old_value IS NOT NULL;

-- A month that nobody has provided for is no reason to lose a row.
CREATE TABLE trail_default PARTITION OF trail DEFAULT;

-- Provides for the rows of a month, given by a day of it.
CREATE FUNCTION add_trail_month(day date) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  month timestamp := date_trunc('month', day::timestamp);
  name text := 'trail_' || to_char(month, 'YYYY_MM');
BEGIN
  IF to_regclass(name) IS NULL AND NOT EXISTS (
    SELECT FROM trail_default WHERE at >= month AT TIME ZONE 'UTC' AND at < (month + interval '1 month') AT TIME ZONE 'UTC'
  ) THEN
    EXECUTE format('CREATE TABLE %I PARTITION OF trail FOR VALUES FROM (%L) TO (%L)', name,
      month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
  END IF;
END $$;
SELECT add_trail_month(month::date)
FROM (
  SELECT coalesce(least((SELECT min(hour) FROM child_access), (SELECT min(hour) FROM application_access)), now()) AS oldest
) known, generate_series(date_trunc('month', oldest AT TIME ZONE 'UTC'), now() AT TIME ZONE 'UTC' + interval '1 month',
  interval '1 month') month;

INSERT INTO trail (at, actor_kind, actor, operation, real_user_id, outcome, times, is_counted)
SELECT hour, 'member', member_id::text, operation, real_user_id, 'ok', times, true FROM child_access
UNION ALL
SELECT hour, 'client', client_id::text, operation, real_user_id, 'ok', times, true FROM application_access
ORDER BY 1, 2, 3, 4, 5;

-- Servers of the version before, which may run beside this one, go on writing there. The next version drops these tables.
TRUNCATE child_access, application_access;
CREATE FUNCTION move_access() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO trail (at, actor_kind, actor, operation, real_user_id, outcome, times, is_counted)
  VALUES (date_trunc('minute', now()), TG_ARGV[0], to_jsonb(NEW) ->> TG_ARGV[1], NEW.operation, NEW.real_user_id, 'ok',
    NEW.times, true)
  ON CONFLICT (at, actor_kind, actor, operation, real_user_id, outcome) WHERE is_counted AND block IS NULL
    DO UPDATE SET times = trail.times + excluded.times;
  RETURN NULL;
END $$;
CREATE TRIGGER move_access BEFORE INSERT ON child_access FOR EACH ROW EXECUTE FUNCTION move_access('member', 'member_id');
CREATE TRIGGER move_access BEFORE INSERT ON application_access FOR EACH ROW
  EXECUTE FUNCTION move_access('client', 'client_id');

-- Which operator did it, and which other one agreed.
ALTER TABLE security_record
  ADD operator      text,
  ADD approved_by   text,
  ADD block         bigint,
  ADD place         int,
  ADD personal_salt bytea,
  ADD personal_hash bytea,
  ADD row_hash      bytea;
CREATE INDEX security_record_open ON security_record (id) WHERE block IS NULL;
CREATE INDEX security_record_block ON security_record (block, place) WHERE block IS NOT NULL;

-- The closed blocks of both records. Each is signed together with the one before it.
CREATE TABLE chain_block (
  record    text NOT NULL,
  number    bigint NOT NULL,
  -- That of all its rows, where the record is kept by months.
  month     date,
  rows      int NOT NULL,
  closed_at timestamptz(3) NOT NULL,
  hash      bytea NOT NULL,
  PRIMARY KEY (record, number)
);

-- Where each chain begins and ends, signed. Who holds the row closes a block.
CREATE TABLE chain_head (
  record      text PRIMARY KEY,
  first_block bigint NOT NULL,
  last_block  bigint NOT NULL,
  -- Rows of earlier months are purged.
  kept_since  date,
  hash        bytea
);
INSERT INTO chain_head (record, first_block, last_block) VALUES ('trail', 1, 0), ('security', 1, 0);
