-- Alerts of bedtimes and of nights that have not arrived: docs/decisions/nights.md.

ALTER TABLE root_user
  ADD COLUMN is_bedtime_reminded boolean NOT NULL DEFAULT false,
  ADD COLUMN is_missing_night_told boolean NOT NULL DEFAULT false,
  ADD COLUMN missing_night_at text NOT NULL DEFAULT '10:00',
  ADD COLUMN quiet_from text,
  ADD COLUMN quiet_to text;
COMMENT ON COLUMN root_user.missing_night_at IS 'hh:mm on the clock of the account: when it is told of a night that has not arrived.';
COMMENT ON COLUMN root_user.quiet_from IS 'hh:mm on the clock of the account, as quiet_to; with one of them null, or both equal, no hours are quiet.';

-- What the worker looks at next for one recipient of one child.
CREATE TABLE night_watch (
  real_user_id int NOT NULL REFERENCES real_user ON DELETE CASCADE,
  root_user_id int NOT NULL REFERENCES root_user ON DELETE CASCADE,
  kind         text NOT NULL CHECK (kind IN ('bedtime', 'missing_night')),
  evening      date,
  due_at       timestamptz NOT NULL,
  PRIMARY KEY (real_user_id, root_user_id, kind)
) WITH (fillfactor = 80);
CREATE INDEX night_watch_due ON night_watch (due_at);
CREATE INDEX night_watch_account ON night_watch (root_user_id);
COMMENT ON TABLE night_watch IS 'When to judge which evening of a child for which recipient next.';
COMMENT ON COLUMN night_watch.evening IS 'Null: the next one after due_at is still to be found.';

ALTER TABLE alert
  ADD COLUMN evening date,
  ADD COLUMN expires_at timestamptz,
  DROP CONSTRAINT alert_kind_check,
  ADD CONSTRAINT alert_kind_check CHECK (
    kind IN ('device_contact', 'basestation_environment', 'account_inactive', 'bedtime', 'missing_night')) NOT VALID;
COMMENT ON COLUMN alert.evening IS 'Of the night that it is about; such an alert is tried once.';
COMMENT ON COLUMN alert.expires_at IS 'After this it is not sent; null: whenever it can be.';
