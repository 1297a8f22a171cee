-- How many whole weeks, going back from the one that ends on the Saturday `last`, reached what was planned for them: without a
-- break, and at most 104. Weeks of a pause are passed over. It looks at twelve weeks first, where nearly all children have their break,
-- and then at twice as many each time.
CREATE OR REPLACE FUNCTION weeks_in_a_row(child int, last date, usual_goal int) RETURNS int LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
DECLARE
  saturdays date[];
  planned int[];
  weeks int := 0;
  together int := 12;
  broken int;
BEGIN
  SELECT array_agg(w.saturday ORDER BY w.saturday DESC), array_agg(w.nights_per_week ORDER BY w.saturday DESC) INTO saturdays, planned
  FROM (
    SELECT p.newest - 7 * k AS saturday, p.nights_per_week
    FROM (
      SELECT from_date, nights_per_week, until - 1 - extract(dow FROM until)::int AS newest
      FROM (
        SELECT *, lead(from_date, 1, last + 1) OVER (ORDER BY from_date) AS until FROM plan
        WHERE real_user_id = child AND from_date <= last
      ) all_plans
      WHERE nights_per_week > 0
    ) p
    CROSS JOIN LATERAL generate_series(0, least(103, (p.newest - p.from_date) / 7)) k
    WHERE p.newest >= p.from_date
    ORDER BY 1 DESC LIMIT 104
  ) w;
  WHILE weeks < cardinality(saturdays) LOOP
    together := least(together, cardinality(saturdays) - weeks);
    SELECT min(w.n) INTO broken
    FROM unnest(saturdays[weeks + 1:weeks + together], planned[weeks + 1:weeks + together]) WITH ORDINALITY AS w (saturday, planned, n)
    LEFT JOIN (
      SELECT evening + 6 - extract(dow FROM evening)::int AS saturday, count(*) AS nights
      FROM nights_of(child, saturdays[weeks + together] - 6, saturdays[weeks + 1], usual_goal) WHERE has_reached GROUP BY 1
    ) r USING (saturday)
    WHERE coalesce(r.nights, 0) < w.planned;
    IF broken IS NOT NULL THEN
      RETURN weeks + broken - 1;
    END IF;
    weeks := weeks + together;
    together := 2 * together;
  END LOOP;
  RETURN weeks;
END $$;
