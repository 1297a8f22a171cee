-- Which keys personal columns are encrypted with: docs/decisions/encryption-by-column.md.

-- Whether personal columns are encrypted when they are written. A database that an older version has filled begins with
-- `companion keys rotate`, when no process of that version, which cannot read them, is left.
CREATE TABLE encryption (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  is_on   boolean NOT NULL
);
INSERT INTO encryption (is_on) SELECT NOT EXISTS (SELECT FROM root_user) AND NOT EXISTS (SELECT FROM rejected_devlog);

-- The keys that values may be encrypted with. `proof` is the id, encrypted with the key.
CREATE TABLE data_key (
  id    text PRIMARY KEY,
  proof text NOT NULL,
  since timestamptz(3) NOT NULL DEFAULT now()
);
