-- Takes over a database whose schema was made by the 14 migrations that 0001-schema replaced. Its tables are the same;
-- two functions must go. Processes of that version call them, so from now on they are not ready and answer uploads with
-- 500, which devices send again.
DO $$
DECLARE
  applied int;
BEGIN
  IF to_regclass('migration') IS NULL THEN RETURN; END IF;
  DELETE FROM migration WHERE name LIKE '20261120-%';
  GET DIAGNOSTICS applied = ROW_COUNT;
  IF applied = 0 THEN RETURN; END IF;
  IF applied <> 14 THEN
    RAISE EXCEPTION 'only % of the 14 migrations that precede 0001-schema were applied', applied
      USING HINT = 'Start commit 7c24e3c on this database once: it applies the others.';
  END IF;
  INSERT INTO migration (name) VALUES ('0001-schema');
  DROP FUNCTION store_fresh_devlogs, store_complete_devlogs;
END $$;
