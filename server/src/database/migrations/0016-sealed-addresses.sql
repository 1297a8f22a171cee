-- The addresses of the security record are encrypted like other personal columns: docs/decisions/security-record.md.

-- Of the client whose refusals a row counts, keyed. It goes when the row counts no more.
ALTER TABLE security_record ADD address_hash bytea;
-- `security_record_minute` is for those that are not encrypted.
CREATE UNIQUE INDEX security_record_minute_hash ON security_record (minute, address_hash, action, reason,
  coalesce(root_user_id, 0), coalesce(phone_hash, '\x')) WHERE minute IS NOT NULL AND address_hash IS NOT NULL;

-- Servers of the version before cannot chain an encrypted address. It begins with `companion keys rotate` when none is left,
-- and at once where nothing is recorded yet.
ALTER TABLE encryption ADD is_on_for_addresses boolean NOT NULL DEFAULT false;
UPDATE encryption SET is_on_for_addresses = true WHERE is_on AND NOT EXISTS (SELECT FROM security_record);
