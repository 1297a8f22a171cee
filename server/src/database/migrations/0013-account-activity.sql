-- When the holder of an account was last here, to the day, and when they were told that the account will be erased. Earlier
-- sign-ins were not kept: for them the count begins now.
CREATE TABLE account_activity (
  root_user_id int PRIMARY KEY REFERENCES root_user ON DELETE CASCADE,
  seen_at      timestamptz NOT NULL,
  told_at      timestamptz
);
INSERT INTO account_activity (root_user_id, seen_at) SELECT id, now() FROM root_user WHERE deleted_at IS NULL;
CREATE INDEX account_activity_seen ON account_activity (seen_at);

-- They are told by mail.
ALTER TABLE alert
  DROP CONSTRAINT alert_channel_check,
  DROP CONSTRAINT alert_kind_check,
  ADD CONSTRAINT alert_channel_check CHECK (channel IN ('push', 'alim_talk', 'mail')),
  ADD CONSTRAINT alert_kind_check CHECK (kind IN ('device_contact', 'basestation_environment', 'account_inactive'));
