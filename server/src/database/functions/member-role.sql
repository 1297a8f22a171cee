-- The role of a member towards a child; null without one. In PL/pgSQL, which is not put in its place: an owner's statement
-- then does not even open the table.
CREATE OR REPLACE FUNCTION member_role(child int, account int, on_date date) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT role FROM live_membership(on_date) WHERE root_user_id = account AND real_user_id = child);
END $$;
