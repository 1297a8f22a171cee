-- Whether a client may have another webhook. VOLATILE, so that it counts what was committed while its caller waited for a lock.
CREATE OR REPLACE FUNCTION may_add_webhook(of_client int, most int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT count(*) < most FROM webhook WHERE client_id = of_client);
END $$;
