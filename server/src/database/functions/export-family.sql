-- Answers everything that is kept about a family, as one JSON object of rows by table, the people with whom it shares its
-- children (`members`), and the children that others share with it (`shared_children`), of whom it only says who they are. It finds tables by their columns
-- and foreign keys, so that a later one cannot be forgotten. It leaves out secrets, and hashes that are only compared.
CREATE OR REPLACE FUNCTION export_family(account int) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
DECLARE
  family jsonb;
  part record;
  part_rows jsonb;
  secrets text[] := ARRAY(SELECT DISTINCT column_name::text FROM information_schema.columns
    WHERE table_schema = current_schema() AND (column_name LIKE '%\_hash' OR column_name LIKE '%salt' OR column_name IN ('token', 'child_id')));
BEGIN
  SELECT jsonb_build_object('root_user', to_jsonb(u) - secrets) INTO family FROM root_user u WHERE id = account;
  FOR part IN
    WITH known AS (
      SELECT c.oid, c.relname AS name,
        CASE
          WHEN bool_or(a.attname = 'root_user_id') THEN 'root_user_id = $1'
          WHEN bool_or(a.attname = 'real_user_id') THEN
            'real_user_id IN (SELECT id FROM real_user WHERE root_user_id = $1)'
          -- Of a distributed table, which has no foreign key.
          WHEN bool_or(a.attname = 'child_id' AND a.attnotnull) THEN
            'child_id IN (SELECT id FROM real_user WHERE root_user_id = $1)'
        END AS condition
      FROM pg_class c
      JOIN pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped
      WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = current_schema()::regnamespace
      GROUP BY c.oid, c.relname
    )
    SELECT name, condition FROM known WHERE condition IS NOT NULL
    UNION ALL
    SELECT child.name, format('%I IN (SELECT id FROM %I WHERE %s)', a.attname, parent.name, parent.condition)
    FROM pg_constraint f
    JOIN known child ON child.oid = f.conrelid AND child.condition IS NULL
    JOIN known parent ON parent.oid = f.confrelid AND parent.condition IS NOT NULL
    JOIN pg_attribute a ON a.attrelid = f.conrelid AND a.attnum = f.conkey[1]
    WHERE f.contype = 'f'
    ORDER BY 1
  LOOP
    EXECUTE format('SELECT coalesce(jsonb_agg(to_jsonb(t) - $2), ''[]'') FROM %I t WHERE %s', part.name, part.condition)
      INTO part_rows USING account, secrets;
    family := family || jsonb_build_object(part.name, part_rows);
  END LOOP;
  RETURN family || jsonb_build_object(
    'members', (
      SELECT coalesce(jsonb_agg(to_jsonb(m) || jsonb_build_object('first_name', u.first_name, 'email', u.email)), '[]')
      FROM membership m JOIN real_user r ON r.id = m.real_user_id JOIN root_user u ON u.id = m.root_user_id
      WHERE r.root_user_id = account),
    'shared_children', (
      SELECT coalesce(jsonb_agg(to_jsonb(m) || jsonb_build_object('first_name', r.first_name)), '[]')
      FROM membership m JOIN real_user r ON r.id = m.real_user_id WHERE m.root_user_id = account));
END $$;
