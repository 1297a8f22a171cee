-- Handing a child over to a guardian: docs/decisions/handing-over.md.

CREATE TABLE transfer_offer (
  real_user_id  int PRIMARY KEY REFERENCES real_user ON DELETE CASCADE,
  membership_id int NOT NULL REFERENCES membership ON DELETE CASCADE,
  offered_at    timestamptz NOT NULL DEFAULT now(),
  expires_at    timestamptz NOT NULL
);
CREATE INDEX transfer_offer_membership ON transfer_offer (membership_id);
CREATE INDEX transfer_offer_expires_at ON transfer_offer (expires_at);
COMMENT ON TABLE transfer_offer IS 'The owner of a child offers it to a guardian; it counts only while the membership does.';

-- No foreign key to base stations: the means of a date do not need the one that measured it.
CREATE TABLE past_reading_day (
  real_user_id   int NOT NULL REFERENCES real_user ON DELETE CASCADE,
  date           date NOT NULL,
  basestation_id int NOT NULL,
  readings       int NOT NULL,
  temperature    numeric NOT NULL,
  humidity       numeric NOT NULL,
  brightness     bigint NOT NULL,
  noise          bigint NOT NULL,
  PRIMARY KEY (real_user_id, date)
);
COMMENT ON TABLE past_reading_day IS 'The sums of what a base station of a former owner had measured on one date when the child was handed over.';

ALTER TABLE real_user ADD COLUMN owner_since date;
COMMENT ON COLUMN real_user.owner_since IS 'The date, of the service, on which another account handed the child over to this one; null: none has. The owner''s base stations count from then on.';
