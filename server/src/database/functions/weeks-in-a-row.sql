-- How many whole weeks, going back from the one that ends on the Saturday `last`, reached what was planned for them: without a
-- break, and at most 104. Weeks of a pause are passed over all at once, so that it looks at no more weeks than it counts, and at
-- no more plans than there are.
CREATE OR REPLACE FUNCTION weeks_in_a_row(child int, last date, usual_goal int) RETURNS int LANGUAGE plpgsql STABLE AS $$
DECLARE
  saturday date := last;
  planned plan;
  weeks int := 0;
BEGIN
  WHILE weeks < 104 LOOP
    SELECT * INTO planned FROM child_plan(child, saturday);
    EXIT WHEN NOT FOUND;
    IF planned.nights_per_week = 0 THEN
      -- The last Saturday before the pause began.
      saturday := planned.from_date - 1 - (extract(dow FROM planned.from_date)::int);
    ELSE
      EXIT WHEN (SELECT count(*) FROM nights_of(child, saturday - 6, saturday, usual_goal) n WHERE n.has_reached)
        < planned.nights_per_week;
      weeks := weeks + 1;
      saturday := saturday - 7;
    END IF;
  END LOOP;
  RETURN weeks;
END $$;
