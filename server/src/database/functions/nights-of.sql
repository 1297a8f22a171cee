-- The used nights of a child whose evenings lie between two dates, both included: the one definition of a night and of its goal.
-- A night lasts from noon to noon on the clock of the device and has the date of its evening; a use counts as in the calendar.
-- `usual_goal` is the goal, in minutes, of evenings without a plan. A caller that leaves `contact_losses` alone is answered by the index
-- of the child alone.
CREATE OR REPLACE FUNCTION nights_of(child int, first date, last date, usual_goal int) RETURNS TABLE (
  evening date, seconds bigint, uses int, contact_losses int, has_reached boolean
) LANGUAGE sql STABLE ROWS 31 AS $$
  SELECT n.evening, n.seconds, n.uses, n.contact_losses, n.seconds >= 60 * coalesce(p.minutes, usual_goal)
  FROM (
    SELECT (t.treatment_date - interval '12 hours')::date AS evening, sum(t.treatment_time) AS seconds, count(*)::int AS uses,
      (count(*) FILTER (WHERE t.finish_flag = 4))::int AS contact_losses
    FROM child_treatments(child, first + interval '12 hours', last + interval '36 hours') t
    WHERE t.is_temp OR t.treatment_time >= 120
    GROUP BY 1
  ) n
  LEFT JOIN child_plans(child, first, last) p ON n.evening >= p.from_date AND n.evening < p.until
$$;
