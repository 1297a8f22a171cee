-- Has the worker look at a child's coming nights again for each who wants to be told of them: a switch, a time, a plan or a
-- recipient has changed. The worker finds the next evening, and forgets those who want or may no more.
CREATE OR REPLACE FUNCTION reschedule_night_alerts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed jsonb := coalesce(to_jsonb(NEW), to_jsonb(OLD));
  account int := CASE TG_TABLE_NAME WHEN 'root_user' THEN changed ->> 'id' WHEN 'membership' THEN changed ->> 'root_user_id' END;
  child int := CASE TG_TABLE_NAME WHEN 'real_user' THEN changed ->> 'id' ELSE changed ->> 'real_user_id' END;
BEGIN
  INSERT INTO night_watch (real_user_id, root_user_id, kind, due_at)
  SELECT w.real_user_id, u.id, k.kind, now()
  FROM (
    SELECT r.id, r.root_user_id FROM real_user r WHERE r.id = child AND r.deleted_at IS NULL
    UNION ALL SELECT r.id, r.root_user_id FROM real_user r WHERE r.root_user_id = account AND child IS NULL AND r.deleted_at IS NULL
    -- Whether a membership is over by its last day is asked when the worker looks.
    UNION ALL SELECT m.real_user_id, m.root_user_id FROM live_child_memberships('-infinity') m WHERE m.real_user_id = child AND m.role = 'guardian'
    UNION ALL SELECT m.real_user_id, m.root_user_id FROM live_child_memberships('-infinity') m
      WHERE m.root_user_id = account AND child IS NULL AND m.role = 'guardian'
  ) w (real_user_id, root_user_id)
  JOIN root_user u ON u.id = w.root_user_id AND u.deleted_at IS NULL
  CROSS JOIN LATERAL (VALUES ('bedtime', u.is_bedtime_reminded), ('missing_night', u.is_missing_night_told)) k (kind, is_on)
  WHERE k.is_on AND (account IS NULL OR w.root_user_id = account)
  ORDER BY 1, 2, 3
  ON CONFLICT (real_user_id, root_user_id, kind) DO UPDATE SET due_at = excluded.due_at, evening = NULL;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER reschedule_night_alerts_of_account AFTER UPDATE OF is_bedtime_reminded, is_missing_night_told, missing_night_at,
  quiet_from, quiet_to, time_zone, blocked_at ON root_user FOR EACH ROW
  WHEN ((NEW.is_bedtime_reminded OR NEW.is_missing_night_told) AND
    (OLD.is_bedtime_reminded, OLD.is_missing_night_told, OLD.missing_night_at, OLD.quiet_from, OLD.quiet_to, OLD.time_zone,
     OLD.blocked_at) IS DISTINCT FROM
    (NEW.is_bedtime_reminded, NEW.is_missing_night_told, NEW.missing_night_at, NEW.quiet_from, NEW.quiet_to, NEW.time_zone,
     NEW.blocked_at))
  EXECUTE FUNCTION reschedule_night_alerts();

CREATE OR REPLACE TRIGGER reschedule_night_alerts_of_new_child AFTER INSERT ON real_user FOR EACH ROW EXECUTE FUNCTION reschedule_night_alerts();
CREATE OR REPLACE TRIGGER reschedule_night_alerts_of_child AFTER UPDATE OF root_user_id ON real_user FOR EACH ROW
  WHEN (OLD.root_user_id <> NEW.root_user_id) EXECUTE FUNCTION reschedule_night_alerts();

CREATE OR REPLACE TRIGGER reschedule_night_alerts_of_member AFTER INSERT OR UPDATE OF role, until, ended_at ON membership FOR EACH ROW
  WHEN (NEW.ended_at IS NULL AND NEW.role = 'guardian') EXECUTE FUNCTION reschedule_night_alerts();

CREATE OR REPLACE TRIGGER reschedule_night_alerts_of_plan AFTER INSERT OR UPDATE OR DELETE ON plan FOR EACH ROW
  EXECUTE FUNCTION reschedule_night_alerts();
