-- The types of the rows that functions return from distributed tables, each with the columns of its table. The row type of the table
-- itself would not do: a table that is distributed gets another one, and functions that return the old one go with it.
DO $$
DECLARE
  tables text[] := '{treatment,sleep_reading,reading_day,event,event_version,survey}';
  change text;
BEGIN
  FOR change IN SELECT format('CREATE TYPE %I AS ()', t || '_row') FROM unnest(tables) t WHERE to_regtype(t || '_row') IS NULL LOOP
    EXECUTE change;
  END LOOP;
  FOR change IN
    WITH attribute AS (
      SELECT c.relname AS name, row_number() OVER (PARTITION BY c.oid ORDER BY a.attnum) AS n,
        format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)) AS text, a.attname AS own
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = current_schema()::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
    ), pair AS (
      SELECT name || '_row' AS type, w.n, w.text, h.own, h.text IS DISTINCT FROM w.text AS differs
      FROM (SELECT * FROM attribute WHERE name = ANY (tables)) w
      FULL JOIN (SELECT left(name, -4) AS name, n, text, own
        FROM attribute WHERE name = ANY (SELECT t || '_row' FROM unnest(tables) t)) h USING (name, n)
    ), late AS (
      -- In the order of the table: all from the first that differs.
      SELECT p.*, bool_or(differs) OVER (PARTITION BY type ORDER BY n) AS is_late FROM pair p
    )
    SELECT step.change FROM late CROSS JOIN LATERAL (VALUES
      (1, format('ALTER TYPE %I', type) || ' DROP ATTRIBUTE ' || quote_ident(own)),
      (2, format('ALTER TYPE %I', type) || ' ADD ATTRIBUTE ' || text)
    ) AS step (turn, change)
    WHERE is_late AND step.change IS NOT NULL ORDER BY turn, n
  LOOP
    EXECUTE change;
  END LOOP;
END $$;
