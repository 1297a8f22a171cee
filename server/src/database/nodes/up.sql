-- Takes from the tables that will be distributed what no distributed table has: identities, keys without the column that tells the
-- node, and foreign keys to tables of the coordinator.
ALTER TABLE event_version
  DROP CONSTRAINT event_version_event_id_fkey,
  DROP CONSTRAINT event_version_pkey,
  ADD CONSTRAINT event_version_pkey PRIMARY KEY USING INDEX event_version_key;
ALTER TABLE event
  DROP CONSTRAINT event_real_user_id_fkey,
  DROP CONSTRAINT event_pkey,
  ADD CONSTRAINT event_pkey PRIMARY KEY USING INDEX event_key;
ALTER TABLE survey
  DROP CONSTRAINT survey_real_user_id_fkey,
  DROP CONSTRAINT survey_pkey,
  ADD CONSTRAINT survey_pkey PRIMARY KEY USING INDEX survey_key;
DROP INDEX treatment_child;
ALTER INDEX treatment_uses RENAME TO treatment_child;
-- Of all its columns together: it has no primary key, and a shard that cannot tell its rows could move only while nobody writes.
ALTER TABLE treatment REPLICA IDENTITY FULL;
DO $$
DECLARE
  part record;
  last bigint;
BEGIN
  FOR part IN SELECT * FROM (VALUES ('treatment', 'bigint'), ('event', 'int'), ('survey', 'int')) AS p (name, type) LOOP
    EXECUTE format('SELECT last_value - (NOT is_called)::int FROM %I', part.name || '_id_seq') INTO last;
    EXECUTE format('ALTER TABLE %I ALTER id DROP IDENTITY', part.name);
    EXECUTE format('CREATE SEQUENCE %I AS %s START %s', part.name || '_id_seq', part.type, last + 1);
    EXECUTE format('ALTER TABLE %I ALTER id SET DEFAULT nextval(%L)', part.name, part.name || '_id_seq');
  END LOOP;
END $$;
-- They answer rows of another type.
DO $$
DECLARE
  old regprocedure;
BEGIN
  FOR old IN
    SELECT p.oid FROM pg_proc p JOIN pg_class c ON c.reltype = p.prorettype
    WHERE p.pronamespace = current_schema()::regnamespace AND p.proretset
  LOOP
    EXECUTE 'DROP FUNCTION ' || old;
  END LOOP;
END $$;
