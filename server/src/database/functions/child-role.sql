-- The role of an account towards a child: `owner`, or that of its membership; null without one. The planner puts the text of
-- this function in its place, so that it costs one comparison for the owner.
CREATE OR REPLACE FUNCTION child_role(child real_user, account int, on_date date) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN child.root_user_id = account THEN 'owner' ELSE child_role_of_non_owner(child.id, account, on_date) END
$$;
