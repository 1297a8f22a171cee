-- Consents to texts of which there are versions: terms, privacy, health data, guardianship.
ALTER TABLE consent
  ADD version text,
  DROP CONSTRAINT consent_check,
  DROP CONSTRAINT consent_kind_check,
  ADD CONSTRAINT consent_kind_check CHECK (CASE WHEN version IS NULL THEN kind IN ('push', 'marketing')
    ELSE kind IN ('terms', 'privacy', 'health-data', 'guardian') END),
  ADD CONSTRAINT consent_check CHECK (old_value <> new_value OR version IS NOT NULL);

-- The version of each kind that is given now, so that reading the account asks no other table.
ALTER TABLE root_user ADD given_versions jsonb NOT NULL DEFAULT '{}';
