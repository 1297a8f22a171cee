-- Takes over a database of the 24 migrations that 0001-schema replaced, the last of which is 0040-functions-in-one-edition.
DO $$
DECLARE
  names text[];
  old text;
BEGIN
  IF to_regclass('migration') IS NULL OR to_regclass('device_lock') IS NOT NULL THEN RETURN; END IF;
  names := ARRAY(SELECT name FROM migration);
  IF NOT '0001-schema' = ANY (names) THEN RETURN; END IF;
  IF NOT '0040-functions-in-one-edition' = ANY (names) OR to_regclass('pg_dist_node') IS NOT NULL THEN
    RAISE EXCEPTION 'an older version made this database, and not all of its migrations were applied, or it has the extension citus'
      USING HINT = 'Start commit 486d2541 on this database once: it applies the others. Bring its tables back to one machine.';
  END IF;
  DELETE FROM migration WHERE name > '0002' AND name <= '0040-functions-in-one-edition';

  DROP TABLE child_access, application_access;
  ALTER TABLE reading_horizon DROP COLUMN summed_station;
  ALTER TABLE feed RENAME rung_xact_id TO notified_xact_id;
  ALTER TYPE held_record RENAME TO stored_record;
  ALTER TABLE device_head RENAME TO device_lock;
  ALTER TABLE child_head RENAME TO child_lock;
  ALTER TABLE basestation_head RENAME TO basestation_lock;
  ALTER TABLE known_address RENAME TO known_ip_address;
  ALTER TABLE stranger_streak RENAME TO unknown_ip_failures;
  ALTER INDEX known_address_last_seen RENAME TO known_ip_address_last_seen;
  ALTER TABLE device_lock RENAME CONSTRAINT device_head_pkey TO device_lock_pkey;
  ALTER TABLE child_lock RENAME CONSTRAINT child_head_pkey TO child_lock_pkey;
  ALTER TABLE basestation_lock RENAME CONSTRAINT basestation_head_pkey TO basestation_lock_pkey;
  ALTER TABLE known_ip_address RENAME CONSTRAINT known_address_pkey TO known_ip_address_pkey;
  ALTER TABLE known_ip_address RENAME CONSTRAINT known_address_root_user_id_fkey TO known_ip_address_root_user_id_fkey;
  ALTER TABLE unknown_ip_failures RENAME CONSTRAINT stranger_streak_pkey TO unknown_ip_failures_pkey;
  ALTER TABLE unknown_ip_failures RENAME CONSTRAINT stranger_streak_root_user_id_fkey TO unknown_ip_failures_root_user_id_fkey;

  -- All functions and triggers are made again, many of them under other names.
  FOR old IN
    SELECT p.oid::regprocedure FROM pg_proc p
    WHERE p.pronamespace = current_schema()::regnamespace AND p.proname <> 'add_trail_month'
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
  LOOP
    EXECUTE 'DROP FUNCTION ' || old || ' CASCADE';
  END LOOP;
  DELETE FROM applied_function;
END $$;
