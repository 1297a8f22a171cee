-- Whether the night of a child is missing and to be told: the first and the second in a row, then each seventh; none of a pause.
CREATE OR REPLACE FUNCTION should_tell_missing_night(child int, evening date, zone text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  nights int := missing_nights_in_a_row(child, evening, zone);
BEGIN
  -- Of a million children most have used their night, so nothing else is looked up.
  IF nights IS NULL OR (nights <> 1 AND nights % 7 <> 2) THEN
    RETURN false;
  END IF;
  RETURN NOT EXISTS (SELECT FROM child_plan(child, evening) p WHERE p.nights_per_week = 0);
END $$;
