-- The children whose changes are for others than their owner: members and clients. The last day of a membership is one of the
-- service's time zone, which may end a day after that of UTC.
CREATE OR REPLACE FUNCTION children_followed_by_others() RETURNS TABLE (id int) LANGUAGE sql STABLE AS $$
  SELECT real_user_id FROM live_child_memberships(current_date - 1)
  UNION ALL
  SELECT c.real_user_id FROM access_grant_child c JOIN live_grants() g ON g.id = c.grant_id
$$;
