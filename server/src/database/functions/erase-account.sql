-- Erases an account's sessions, identities, passkeys, addresses, memberships and treatments, and what it is told of nights, and ends its
-- grants, whichever way it is deleted.
CREATE OR REPLACE FUNCTION erase_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM session WHERE root_user_id = NEW.id;
  DELETE FROM push_token WHERE root_user_id = NEW.id;
  DELETE FROM social_identity WHERE root_user_id = NEW.id;
  DELETE FROM reset_token WHERE root_user_id = NEW.id;
  DELETE FROM email_confirmation WHERE root_user_id = NEW.id;
  DELETE FROM known_ip_address WHERE root_user_id = NEW.id;
  DELETE FROM unknown_ip_failures WHERE root_user_id = NEW.id;
  DELETE FROM account_activity WHERE root_user_id = NEW.id;
  DELETE FROM kept_response WHERE root_user_id = NEW.id;
  DELETE FROM night_watch WHERE root_user_id = NEW.id;
  -- In the order in which all lock them.
  PERFORM FROM membership WHERE root_user_id = NEW.id ORDER BY id FOR UPDATE;
  DELETE FROM membership WHERE root_user_id = NEW.id;
  DELETE FROM passkey WHERE root_user_id = NEW.id;
  UPDATE clinic_member SET ended_at = now() WHERE root_user_id = NEW.id AND ended_at IS NULL;
  UPDATE clinic_connection SET seen_by = NULL WHERE seen_by = NEW.id;
  UPDATE access_grant SET ended_at = now() WHERE root_user_id = NEW.id AND ended_at IS NULL;
  -- Those that others have sent to this person.
  DELETE FROM invitation WHERE email_hash = OLD.email_hash OR lower(email) = lower(OLD.email);
  DELETE FROM clinic_invitation WHERE email_hash = OLD.clinician_email_hash;
  -- An older version leaves them.
  UPDATE root_user SET email_hash = NULL, phone_hash = NULL, clinician_email_hash = NULL
    WHERE id = NEW.id AND (email_hash IS NOT NULL OR phone_hash IS NOT NULL OR clinician_email_hash IS NOT NULL);
  -- Those about its phone numbers that name no account: its own rows say which numbers it has had.
  UPDATE security_record SET address = NULL, phone_hash = NULL WHERE root_user_id IS NULL AND phone_hash IN (
    SELECT phone_hash FROM security_record WHERE root_user_id = NEW.id UNION ALL SELECT NEW.deleted_phone_hash);
  UPDATE security_record SET address = NULL, phone_hash = NULL
    WHERE root_user_id = NEW.id AND (address IS NOT NULL OR phone_hash IS NOT NULL);
  PERFORM erase_treatments(ARRAY(SELECT id FROM real_user WHERE root_user_id = NEW.id));
  -- After the treatments, which wait for a shift that is under way.
  DELETE FROM shifted_devlog WHERE real_user_id IN (SELECT id FROM real_user WHERE root_user_id = NEW.id);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER erase_account AFTER UPDATE OF deleted_at ON root_user FOR EACH ROW
  WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
  EXECUTE FUNCTION erase_account();
