-- Alerts the owner and the guardians of children to contact losses. The cause is the treatment, so that a treatment in several
-- records alerts once. An alert by push needs a token to go to.
CREATE OR REPLACE FUNCTION alert_of_contact_losses(devices int[], children int[], dates timestamp[]) RETURNS void
  LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  IF cardinality(devices) > 0 THEN
    INSERT INTO alert (channel, kind, cause, root_user_id, real_user_id, device_id)
    SELECT c.channel, 'device_contact', md5('device ' || n.device_id || to_char(n.date, ' YYYYMMDDHH24MISSUS'))::uuid,
      u.id, n.real_user_id, n.device_id
    FROM unnest(devices, children, dates) AS n (device_id, real_user_id, date)
    CROSS JOIN LATERAL (
      (SELECT root_user_id FROM real_user WHERE id = n.real_user_id AND deleted_at IS NULL LIMIT 1)
      UNION ALL
      -- Whether a membership is over by its last day is asked when the alert is sent.
      SELECT root_user_id FROM live_child_memberships('-infinity') WHERE real_user_id = n.real_user_id AND role = 'guardian'
    ) r
    JOIN root_user u ON u.id = r.root_user_id AND NOT u.is_device_muted
    CROSS JOIN LATERAL (VALUES
      ('push', EXISTS (SELECT 1 FROM push_token p WHERE p.root_user_id = u.id)),
      ('alim_talk', u.is_device_alim_talk_enabled)
    ) AS c (channel, is_on)
    WHERE c.is_on
    ON CONFLICT DO NOTHING;
  END IF;
END $$;
