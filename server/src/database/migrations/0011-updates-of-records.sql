-- When a record last changed, which FHIR tells as `meta.lastUpdated`. Of what was there before, nobody knows it.

-- Without a default first: one would be written to rows that are there.
ALTER TABLE treatment ADD COLUMN updated_at timestamptz(3);
ALTER TABLE treatment ALTER COLUMN updated_at SET DEFAULT now();
COMMENT ON COLUMN treatment.updated_at IS 'When it arrived or last changed; null if that was before this was kept.';

ALTER TABLE real_user ADD COLUMN updated_at timestamptz(3);
ALTER TABLE real_user ALTER COLUMN updated_at SET DEFAULT now();
COMMENT ON COLUMN real_user.updated_at IS 'When the profile last changed; null if that was before this was kept.';

ALTER TABLE device ADD COLUMN updated_at timestamptz(3);
ALTER TABLE device ALTER COLUMN updated_at SET DEFAULT now();
COMMENT ON COLUMN device.updated_at IS 'When its wearer, name or firmware last changed; null if that was before this was kept.';
