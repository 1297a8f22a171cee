-- Alerts the owner and the guardians of a child to a contact fault in a temporary record that is completed. That is an update, which
-- `alert_contact_faults` does not see. The cause is the treatment, so that a treatment in several records alerts once.
CREATE OR REPLACE FUNCTION alert_contact_fault() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO alert (channel, kind, cause, root_user_id, real_user_id, device_id)
  SELECT c.channel, 'device_contact',
    md5('device ' || NEW.device_id || to_char(NEW.treatment_date, ' YYYYMMDDHH24MISSUS'))::uuid,
    u.id, NEW.real_user_id, NEW.device_id
  FROM (
    SELECT root_user_id FROM real_user WHERE id = NEW.real_user_id AND deleted_at IS NULL
    UNION ALL
    -- Whether a membership is over by its last day is asked when the alert is sent.
    SELECT root_user_id FROM live_membership('-infinity') WHERE real_user_id = NEW.real_user_id AND role = 'guardian'
  ) r
  JOIN root_user u ON u.id = r.root_user_id
  CROSS JOIN LATERAL (VALUES ('push', true), ('alim_talk', u.is_device_alim_talk_enabled)) AS c (channel, is_on)
  WHERE NOT u.is_device_muted AND c.is_on
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER alert_contact_fault AFTER UPDATE OF finish_flag ON treatment FOR EACH ROW
  WHEN (NEW.finish_flag = 4 AND NEW.deleted_at IS NULL)
  EXECUTE FUNCTION alert_contact_fault();
