-- What concerns people: the language of mails, and who is told that they have lost access to a child.

ALTER TABLE root_user ADD COLUMN language text CHECK (language IN ('KR', 'EN'));
COMMENT ON COLUMN root_user.language IS 'Of mails and alerts, as the holder has chosen it; null: that of the country.';

-- Both kinds of nights are of 0007.
ALTER TABLE alert
  DROP CONSTRAINT alert_kind_check,
  ADD CONSTRAINT alert_kind_check CHECK (kind IN ('device_contact', 'basestation_environment', 'account_inactive', 'bedtime',
    'missing_night', 'access_ended')) NOT VALID;

-- From now on a membership is ended when its last day is over, so that its member is told once. Nobody is told of old ones; those
-- of the last two days may still be in force where the service is.
UPDATE membership SET ended_at = until + 1 WHERE ended_at IS NULL AND until < current_date - 1;
CREATE INDEX membership_open_until ON membership (until) WHERE ended_at IS NULL AND until IS NOT NULL;
