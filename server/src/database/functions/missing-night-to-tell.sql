-- Whether the night of a child is missing and to be told: the first and the second in a row, then each seventh; none of a pause.
CREATE OR REPLACE FUNCTION missing_night_to_tell(child int, evening date, zone text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  nights int := missing_nights(child, evening, zone);
BEGIN
  RETURN (nights = 1 OR nights % 7 = 2) IS TRUE
    AND NOT EXISTS (SELECT FROM child_plan(child, evening) p WHERE p.nights_per_week = 0);
END $$;
