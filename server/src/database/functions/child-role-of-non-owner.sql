-- The role towards a child of an account that does not own it: that of its membership, or of its work in a clinic; null without
-- one. In PL/pgSQL, which is not put in its place: an owner's statement then does not even open the tables.
CREATE OR REPLACE FUNCTION child_role_of_non_owner(child int, account int, on_date date) RETURNS text LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
BEGIN
  RETURN coalesce((SELECT role FROM live_child_memberships(on_date) WHERE root_user_id = account AND real_user_id = child),
    child_role_through_clinic(child, account, on_date));
END $$;
