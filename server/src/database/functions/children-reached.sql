-- Those of `children` that are not deleted and towards which the account has one of `roles`.
CREATE OR REPLACE FUNCTION children_reached(children int[], account int, roles text[], on_date date) RETURNS int[] LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN ARRAY(SELECT r.id FROM real_user r WHERE r.id = ANY (children) AND r.deleted_at IS NULL
    AND child_role(r, account, on_date) = ANY (roles));
END $$;
