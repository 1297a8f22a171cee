-- The marks that the figures of children have, once the records show what those who made the marks have stored.
CREATE OR REPLACE FUNCTION outdated_figure_marks(children int[]) RETURNS bigint[] LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  marked record;
  complete int[];
BEGIN
  SELECT array_agg(m.id) AS ids, array_agg(c.real_user_id) AS children INTO marked
  FROM clinic_connection c JOIN outdated_figures m ON m.connection_id = c.id
  WHERE c.real_user_id = ANY (outdated_figure_marks.children) AND c.ended_at IS NULL;
  complete := await_committed_records(marked.children);
  RETURN ARRAY(SELECT m.id FROM unnest(marked.ids, marked.children) AS m (id, child) WHERE m.child = ANY (complete));
END $$;
