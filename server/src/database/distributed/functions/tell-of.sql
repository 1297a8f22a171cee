-- Tells those who watch children of what has changed, where no triggers do so.
CREATE OR REPLACE FUNCTION tell_of(kind text, children int[], subjects bigint[], dates date[]) RETURNS void
  LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_always(kind, children, subjects, dates);
END $$;
