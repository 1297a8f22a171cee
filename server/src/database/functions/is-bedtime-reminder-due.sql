-- Whether a child is to be reminded of its bedtime on an evening: nights are planned, and no use has begun since its noon.
CREATE OR REPLACE FUNCTION is_bedtime_reminder_due(child int, evening date) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT FROM child_plan(child, evening) p WHERE p.nights_per_week > 0 AND p.bedtime IS NOT NULL)
    AND NOT EXISTS (SELECT FROM child_treatments(child, evening + interval '12 hours', evening + interval '36 hours'));
END $$;
