-- Makes the tables of `migrations/0001-schema.sql` of those of the 19 migrations that it replaced. What else is in
-- `0001-schema.sql`, its comments, is applied afterwards.

DELETE FROM migration WHERE name > '0002';

DROP TABLE child_access, application_access;

ALTER TABLE known_address RENAME TO known_ip_address;
ALTER INDEX known_address_last_seen RENAME TO known_ip_address_last_seen;
ALTER TABLE known_ip_address RENAME CONSTRAINT known_address_pkey TO known_ip_address_pkey;
ALTER TABLE known_ip_address RENAME CONSTRAINT known_address_root_user_id_fkey TO known_ip_address_root_user_id_fkey;
ALTER TABLE stranger_streak RENAME TO unknown_ip_failures;
ALTER TABLE unknown_ip_failures RENAME CONSTRAINT stranger_streak_pkey TO unknown_ip_failures_pkey;
ALTER TABLE unknown_ip_failures RENAME CONSTRAINT stranger_streak_root_user_id_fkey TO unknown_ip_failures_root_user_id_fkey;
ALTER TABLE feed RENAME rung_xact_id TO notified_xact_id;
ALTER TABLE alert RENAME tries TO attempts;
ALTER TABLE sms_code RENAME tries TO attempts;
ALTER TABLE webhook RENAME tries TO attempts;
ALTER TABLE reading_horizon DROP COLUMN summed_station;

ALTER TABLE client
  ADD COLUMN is_secret_in_body boolean NOT NULL DEFAULT false,
  ADD COLUMN previous_secret_hash bytea,
  ADD COLUMN previous_secret_until timestamptz(3);

ALTER TABLE oauth_state ADD COLUMN answer text;
DROP INDEX oauth_state_uid;
CREATE INDEX oauth_state_uid ON oauth_state (uid_hash) WHERE uid_hash IS NOT NULL;

-- Nobody had to prove an address; a reset of the password proved it. What a sign-in provider sent may not have been verified.
ALTER TABLE root_user
  ADD COLUMN is_phone_canonical boolean NOT NULL DEFAULT true,
  ADD COLUMN email_confirmed_at timestamptz,
  ADD COLUMN confirmation_mailed_at timestamptz,
  ADD COLUMN is_contact_email boolean NOT NULL DEFAULT false;
UPDATE root_user SET is_phone_canonical = false WHERE phone IS NOT NULL;
UPDATE root_user SET is_contact_email = true WHERE register_type = 'S' AND deleted_at IS NULL;
UPDATE root_user u SET email_confirmed_at = reset.at
FROM (SELECT root_user_id, max(recorded_at) AS at FROM security_record WHERE action = 'password_reset' GROUP BY 1) reset
WHERE reset.root_user_id = u.id AND u.deleted_at IS NULL;
DROP INDEX root_user_email;
CREATE UNIQUE INDEX root_user_email ON root_user (lower(email)) WHERE NOT is_contact_email;
CREATE INDEX root_user_phone_not_canonical ON root_user (id) WHERE NOT is_phone_canonical;

ALTER TABLE event_version ADD COLUMN child_id int;
UPDATE event_version v SET child_id = e.real_user_id FROM event e WHERE e.id = v.event_id;
ALTER TABLE event_version ALTER child_id SET NOT NULL;

ALTER TABLE device ADD COLUMN last_temporary_date timestamp NOT NULL DEFAULT 'infinity';

CREATE TABLE worn (wearer_id int, device_id int, PRIMARY KEY (wearer_id, device_id));
INSERT INTO worn SELECT real_user_id, device_id FROM device_history UNION SELECT real_user_id, device_id FROM treatment;

CREATE TABLE email_confirmation (
  root_user_id int NOT NULL REFERENCES root_user ON DELETE CASCADE,
  purpose      text NOT NULL CHECK (purpose IN ('current', 'change')),
  token_hash   bytea NOT NULL UNIQUE,
  email        text NOT NULL,
  expires_at   timestamptz NOT NULL,
  answered_at  timestamptz,
  is_mine      boolean,
  PRIMARY KEY (root_user_id, purpose)
);
CREATE TABLE distribution (
  is_only    boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  is_guarded boolean NOT NULL DEFAULT false
);
INSERT INTO distribution DEFAULT VALUES;
CREATE TABLE device_lock (id int PRIMARY KEY);
CREATE TABLE child_lock (id int PRIMARY KEY);
CREATE TABLE basestation_lock (id int PRIMARY KEY);
CREATE TABLE two_phases (id int PRIMARY KEY);
CREATE TYPE stored_record AS (id bigint, child int, date timestamp, file int, is_temp boolean, deletion int);
CREATE TYPE measured AS (at timestamp, temperature float8, humidity float8, brightness int, noise int);

-- All functions are made again, many of them under other names; triggers go with them.
DO $$
DECLARE
  old text;
BEGIN
  FOR old IN
    SELECT p.oid::regprocedure FROM pg_proc p
    WHERE p.pronamespace = current_schema()::regnamespace AND p.proname <> 'add_trail_month'
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
  LOOP
    EXECUTE 'DROP FUNCTION ' || old || ' CASCADE';
  END LOOP;
END $$;
DELETE FROM applied_function;
