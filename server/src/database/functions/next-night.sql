-- The next evening of a child that a recipient may have to be told of, and the moment for it, which lies after `after`. A moment of
-- a missing night in quiet hours is their end. Without an evening that is planned, it is null, and the moment is when to look
-- again: before the next plan begins, or never.
CREATE OR REPLACE FUNCTION next_night(
  kind text, child int, zone text, tell_at text, quiet_from text, quiet_to text, after timestamptz,
  OUT evening date, OUT moment timestamptz
) LANGUAGE plpgsql STABLE AS $$
DECLARE
  today date := (after AT TIME ZONE zone)::date;
  quiet_end timestamptz;
  newest plan;
  planned plan;
BEGIN
  IF kind = 'missing_night' THEN
    FOR day IN -1..1 LOOP
      evening := today + day - 1;
      moment := moment_of(today + day + tell_at::time, zone);
      quiet_end := quiet_until(moment, zone, quiet_from, quiet_to);
      moment := coalesce(quiet_end, moment);
      EXIT WHEN moment > after;
    END LOOP;
    RETURN;
  END IF;
  SELECT * INTO newest FROM child_plan(child, today + 1);
  FOR day IN -1..1 LOOP
    EXIT WHEN newest.id IS NULL;
    evening := today + day;
    planned := newest;
    IF newest.from_date > evening THEN
      SELECT * INTO planned FROM child_plan(child, evening);
    END IF;
    IF planned.nights_per_week > 0 AND planned.bedtime IS NOT NULL THEN
      -- One before noon is on the date after the evening.
      moment := moment_of(evening + (planned.bedtime < '12:00')::int + planned.bedtime::time, zone);
      IF moment > after THEN
        RETURN;
      END IF;
    END IF;
  END LOOP;
  evening := NULL;
  SELECT coalesce(moment_of(min(p.from_date) - 1 + time '00:00', zone), 'infinity') INTO moment
  FROM plan p WHERE p.real_user_id = child AND p.from_date > today + 1;
END $$;
