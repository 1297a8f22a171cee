-- Alerts those who are responsible for base stations, the owner and the guardians of the owner's children, that it was
-- outside of their bounds on a date. The cause is the base station and the date.
CREATE OR REPLACE FUNCTION alert_environment_outside_bounds(stations int[], accounts int[], dates date[]) RETURNS void
  LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO alert (channel, kind, cause, root_user_id, basestation_id)
  SELECT DISTINCT 'push', 'basestation_environment',
    md5('basestation ' || o.station || ' ' || u.id || to_char(o.date, ' YYYYMMDD'))::uuid AS cause, u.id, o.station
  FROM unnest(stations, accounts, dates) AS o (station, account, date)
  CROSS JOIN LATERAL (
    SELECT o.account AS id
    UNION
    -- Whether a membership is over by its last day is asked when the alert is sent.
    SELECT m.root_user_id FROM real_user r JOIN live_child_memberships('-infinity') m ON m.real_user_id = r.id
    WHERE r.root_user_id = o.account AND r.deleted_at IS NULL AND m.role = 'guardian'
  ) person
  JOIN root_user u ON u.id = person.id
  WHERE u.is_basestation_alert_enabled
  ORDER BY cause
  ON CONFLICT DO NOTHING;
END $$;
