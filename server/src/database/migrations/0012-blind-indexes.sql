-- E-mail addresses and phone numbers are looked up by keyed hashes: docs/decisions/encryption-by-column.md. A row that an older
-- version has written has none yet, and is found by the value itself.
ALTER TABLE root_user ADD email_hash bytea, ADD phone_hash bytea;
CREATE UNIQUE INDEX root_user_email_hash ON root_user (email_hash);
CREATE UNIQUE INDEX root_user_phone_hash ON root_user (phone_hash);
ALTER TABLE invitation ADD email_hash bytea;
CREATE UNIQUE INDEX invitation_child_email_hash ON invitation (real_user_id, email_hash);
CREATE INDEX invitation_email_hash ON invitation (email_hash);

-- A keyed hash of a constant, which tells whether the secret of the hashes is the one that these were made with.
ALTER TABLE encryption ADD index_proof bytea;
