-- Triggers tell of the rest.
CREATE OR REPLACE FUNCTION tell_of(kind text, children int[], subjects bigint[], dates date[]) RETURNS void
  LANGUAGE plpgsql AS $$
BEGIN
  IF kind IN ('note.deleted', 'survey.deleted') THEN
    INSERT INTO change (kind, real_user_id, subject_id, date)
    SELECT tell_of.kind, c.child, c.subject, c.date
    FROM unnest(children, subjects, dates) WITH ORDINALITY AS c (child, subject, date, n)
    WHERE c.child IN (SELECT id FROM watched_child()) ORDER BY c.n;
  END IF;
END $$;
