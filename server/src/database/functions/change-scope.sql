-- The scope that shows a kind of change; null for those that are addressed to their readers. One expression, which PostgreSQL
-- puts in place of the call: it is asked for each change that a page looks at.
CREATE OR REPLACE FUNCTION change_scope(kind text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN kind LIKE 'treatment.%' OR kind LIKE 'plan.%' THEN 'usage:read'
    WHEN kind LIKE 'note.%' THEN 'notes:read'
    WHEN kind LIKE 'survey.%' THEN 'surveys:read'
    WHEN kind = 'child.updated' THEN 'child:read'
  END
$$;
