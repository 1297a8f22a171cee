-- Refuses to read a table that has come back to one machine since the snapshot of a transaction: it would seem empty there.
--
-- Functions that read such tables are volatile, so that in any other transaction each of their statements sees with a snapshot of
-- its own, which is taken when the table is locked.
CREATE OR REPLACE FUNCTION assert_snapshot_sees_table(of_table regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('transaction_isolation') = 'repeatable read'
    AND NOT EXISTS (SELECT 1 FROM pg_class c WHERE c.oid = of_table) THEN
    RAISE EXCEPTION 'Table % came back to one machine after this transaction began', of_table USING ERRCODE = 'serialization_failure';
  END IF;
END $$;
