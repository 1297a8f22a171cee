-- The limits of guesses and of codes by SMS, and a security record that nobody can fill.

-- How many tries to sign in to an account have failed in a row, from addresses that it is not known by.
CREATE TABLE stranger_streak (
  root_user_id int PRIMARY KEY REFERENCES root_user ON DELETE CASCADE,
  failures     int NOT NULL
);

-- The latest codes that were sent by SMS, by country of the number, and whether they were entered.
CREATE TABLE sent_code (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  country    text NOT NULL,
  sent_at    timestamptz NOT NULL,
  is_entered boolean NOT NULL DEFAULT false
);
CREATE INDEX sent_code_country ON sent_code (country, id);
ALTER TABLE sms_code ADD sent_code_id bigint;

-- Until when no codes are sent to a country. Who holds the row counts its codes.
CREATE TABLE sms_country (
  country       text PRIMARY KEY,
  stopped_until timestamptz
);

-- A row may count refusals: `times` of them within its `minute`. A row about a phone number holds that number's hash, by
-- which the address goes with the account that had the number.
ALTER TABLE security_record
  ADD times      int NOT NULL DEFAULT 1,
  ADD minute     timestamptz,
  ADD phone_hash bytea;
-- Addresses that went are NULL, and distinct.
CREATE UNIQUE INDEX security_record_minute ON security_record (minute, address, action, reason, coalesce(root_user_id, 0),
  coalesce(phone_hash, '\x')) WHERE minute IS NOT NULL;
CREATE INDEX security_record_phone ON security_record (phone_hash) WHERE phone_hash IS NOT NULL;
