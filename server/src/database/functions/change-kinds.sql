-- The kinds of changes that a grant with these scopes shows.
CREATE OR REPLACE FUNCTION change_kinds(scopes text[]) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT array_agg(kind) FROM (VALUES
    ('treatment.stored', 'usage:read'),
    ('treatment.completed', 'usage:read'),
    ('treatment.deleted', 'usage:read'),
    ('treatment.restored', 'usage:read'),
    ('note.saved', 'notes:read'),
    ('survey.submitted', 'surveys:read'),
    ('child.updated', 'child:read'),
    ('child.deleted', NULL),
    ('grant.started', NULL),
    ('grant.ended', NULL)
  ) AS k (kind, scope)
  WHERE scope IS NULL OR scope = ANY (scopes)
$$;
