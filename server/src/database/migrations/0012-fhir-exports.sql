-- Bulk exports of the FHIR API: docs/decisions/bulk-exports.md.

CREATE TABLE fhir_export (
  id            uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  client_id     int NOT NULL REFERENCES client ON DELETE CASCADE,
  request       text NOT NULL,
  base          text NOT NULL,
  types         text[] NOT NULL,
  scopes        text[] NOT NULL,
  since         timestamptz(3),
  taken_at      timestamptz(3) NOT NULL,
  state         text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'complete', 'cancelled')),
  stream        text NOT NULL,
  child         int NOT NULL DEFAULT 0,
  place         text,
  file          int NOT NULL DEFAULT 1,
  lines_of_file int NOT NULL DEFAULT 0,
  lines         int NOT NULL DEFAULT 0,
  parts         int NOT NULL DEFAULT 0,
  attempts      int NOT NULL DEFAULT 0,
  claim         uuid,
  claimed_until timestamptz NOT NULL DEFAULT '-infinity',
  expires_at    timestamptz(3) NOT NULL
);
CREATE UNIQUE INDEX fhir_export_running ON fhir_export (client_id) WHERE state = 'running';
CREATE INDEX fhir_export_due ON fhir_export (claimed_until) WHERE state = 'running';
CREATE INDEX fhir_export_client ON fhir_export (client_id);
CREATE INDEX fhir_export_expires_at ON fhir_export (expires_at);
COMMENT ON TABLE fhir_export IS 'What a service has asked for as a whole, and how far it is; see fhir_export_part.';
COMMENT ON COLUMN fhir_export.request IS 'The URL that was asked for.';
COMMENT ON COLUMN fhir_export.base IS 'The address of the FHIR API as the service knows it.';
COMMENT ON COLUMN fhir_export.scopes IS 'What the token could open, by our names.';
COMMENT ON COLUMN fhir_export.since IS 'Only what has changed since then; null: all.';
COMMENT ON COLUMN fhir_export.taken_at IS 'All that was changed before it is in the export.';
COMMENT ON COLUMN fhir_export.stream IS 'What it reads, and goes on from the child and, among records, behind the place; see fhir/export-streams.ts.';
COMMENT ON COLUMN fhir_export.file IS 'The file of the stream''s type that is being filled, counted from 1; it has lines_of_file lines.';
COMMENT ON COLUMN fhir_export.parts IS 'How many parts were made; the next gets the number after it.';
COMMENT ON COLUMN fhir_export.attempts IS 'How often a process has begun to go on here and has not come further.';
COMMENT ON COLUMN fhir_export.claim IS 'The process that goes on with it, until claimed_until.';

CREATE TABLE fhir_export_part (
  export_id    uuid NOT NULL REFERENCES fhir_export ON DELETE CASCADE,
  type         text NOT NULL,
  file         int NOT NULL,
  number       int NOT NULL,
  real_user_id int NOT NULL,
  scope        text NOT NULL,
  lines        int NOT NULL,
  content      text NOT NULL,
  PRIMARY KEY (export_id, type, file, number)
);
-- It is compressed and encrypted already.
ALTER TABLE fhir_export_part ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX fhir_export_part_child ON fhir_export_part (real_user_id);
COMMENT ON TABLE fhir_export_part IS 'Lines of a file of an export that are about one child: they are given out while a grant for the child holds the scope.';
COMMENT ON COLUMN fhir_export_part.type IS 'Of the resources; with file it names the file.';
COMMENT ON COLUMN fhir_export_part.content IS 'The lines, packed by fhir/export-lines.ts, encrypted.';
