-- Tells members by mail, through the outbox of alerts, that they have lost access to a child.
CREATE OR REPLACE FUNCTION tell_access_ended(members int[], child int) RETURNS void LANGUAGE sql AS $$
  INSERT INTO alert (channel, kind, cause, root_user_id, real_user_id)
  SELECT 'mail', 'access_ended', gen_random_uuid(), member, child FROM unnest(members) AS member
$$;
