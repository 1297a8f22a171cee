-- Nobody finds a clinician by the address of a parent, and no password signs one in. `companion account change-email` could write such an
-- address, which then opened a reset of the password.
UPDATE root_user SET email_hash = NULL, is_contact_email = email IS NOT NULL, password_hash = NULL
WHERE register_type = 'P' AND (email_hash IS NOT NULL OR password_hash IS NOT NULL OR (email IS NOT NULL AND NOT is_contact_email));
ALTER TABLE root_user ADD CONSTRAINT root_user_clinician_check
  CHECK (register_type <> 'P' OR (email_hash IS NULL AND password_hash IS NULL AND (email IS NULL OR is_contact_email)));
