-- The role towards a child of somebody who works in a clinic that it is connected with: that of a viewer; null without one.
CREATE OR REPLACE FUNCTION child_role_through_clinic(child int, account int, on_date date) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT 'viewer' WHERE EXISTS (
    SELECT FROM clinic_member m JOIN live_clinic_connections(on_date) c ON c.clinic_id = m.clinic_id
    WHERE m.root_user_id = account AND m.ended_at IS NULL AND c.real_user_id = child)
$$;
