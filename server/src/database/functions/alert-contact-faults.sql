-- Alerts the owner and the guardians of children to contact faults. It runs once for all rows of an upload: a trigger for each row cost nine times the
-- row. An alert by push needs a token to go to.
CREATE OR REPLACE FUNCTION alert_contact_faults() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO alert (channel, kind, cause, root_user_id, real_user_id, device_id)
  SELECT f.channel, 'device_contact',
    md5('device ' || n.device_id || to_char(n.treatment_date, ' YYYYMMDDHH24MISSUS'))::uuid,
    f.root_user_id, n.real_user_id, n.device_id
  FROM arrived n
  CROSS JOIN LATERAL (
    SELECT u.id AS root_user_id, c.channel
    FROM (
      (SELECT root_user_id FROM real_user WHERE id = n.real_user_id AND deleted_at IS NULL LIMIT 1)
      UNION ALL
      -- Whether a membership is over by its last day is asked when the alert is sent.
      SELECT root_user_id FROM live_membership('-infinity') WHERE real_user_id = n.real_user_id AND role = 'guardian'
    ) r
    CROSS JOIN LATERAL (
      SELECT * FROM root_user WHERE id = r.root_user_id AND NOT is_device_muted LIMIT 1
    ) u
    CROSS JOIN LATERAL (VALUES
      ('push', EXISTS (SELECT FROM push_token p WHERE p.root_user_id = u.id)),
      ('alim_talk', u.is_device_alim_talk_enabled)
    ) AS c (channel, is_on)
    WHERE c.is_on
  ) f
  WHERE n.finish_flag = 4 AND n.deleted_at IS NULL
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER alert_contact_faults AFTER INSERT ON treatment REFERENCING NEW TABLE AS arrived
  -- Records that only lie elsewhere from now on are not new: `settle_treatments`.
  FOR EACH STATEMENT WHEN (current_setting('companion.settles', true) IS DISTINCT FROM 'on')
  EXECUTE FUNCTION alert_contact_faults();
