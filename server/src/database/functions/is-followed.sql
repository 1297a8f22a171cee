-- Whether a change of this child's data is for anybody but its owner: a member or a client. The last day of a membership is one
-- of the service's time zone, which may end a day after that of UTC.
CREATE OR REPLACE FUNCTION is_followed(child int) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT FROM live_membership(current_date - 1) WHERE real_user_id = child)
    OR EXISTS (SELECT FROM live_grant() g JOIN access_grant_child c ON c.grant_id = g.id WHERE c.real_user_id = child);
END $$;
