-- Removes at most `most` rows of a kind from before `before`, of the owners with ids after `behind` up to `up_to`, tells those who
-- watch the children, and answers how many. A row that somebody else holds is left for the next time.
CREATE OR REPLACE FUNCTION remove_old(kind text, behind int, up_to int, before timestamp, most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  k record;
  children int[];
  ids bigint[];
  days date[];
  taken int;
BEGIN
  SELECT * INTO STRICT k FROM removal_rule_of_kind(kind);
  EXECUTE format(
    'WITH gone AS (
       DELETE FROM %1$I r WHERE ctid = ANY (ARRAY(
         SELECT old.ctid FROM %2$I o CROSS JOIN LATERAL (
           SELECT r.ctid FROM %1$I r WHERE r.%3$I = o.id AND r.%4$I < $3 AND %5$s LIMIT $4 FOR UPDATE SKIP LOCKED
         ) old
         WHERE o.id > $1 AND o.id <= $2 LIMIT $4))
       RETURNING r.%3$I AS owner, %6$s AS id, %7$s AS day
     )
     SELECT count(*), array_agg(owner), array_agg(id), array_agg(day) FROM gone',
    k.rows, k.owners, k.owner, k.date, k.which, k.id, k.day)
  INTO taken, children, ids, days USING behind, up_to, before, most;
  IF k.told IS NOT NULL THEN
    PERFORM add_changes_to_feed(k.told, children, ids, days);
  END IF;
  RETURN taken;
END $$;
