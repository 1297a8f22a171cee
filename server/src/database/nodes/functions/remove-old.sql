-- Removes at most `most` rows of a kind from before `before`, of the owners with ids after `behind` up to `up_to`, tells those who
-- watch the children, and answers how many: shard by shard, and those of each owner apart.
CREATE OR REPLACE FUNCTION remove_old(kind text, behind int, up_to int, before timestamp, most int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  k record;
  pair record;
  ids bigint[];
  days date[];
  gone int;
  taken int := 0;
BEGIN
  SELECT * INTO STRICT k FROM removal_rule_of_kind(kind);
  FOR pair IN EXECUTE format(
    'SELECT shard, owner FROM (
       SELECT r.%2$I AS shard, r.%3$I AS owner FROM %1$I r
       WHERE r.%3$I > $1 AND r.%3$I <= $2 AND r.%4$I < $3 AND %5$s LIMIT $4
     ) old GROUP BY 1, 2 ORDER BY 1, 2', k.rows, k.shard, k.owner, k.date, k.which) USING behind, up_to, before, most
  LOOP
    EXIT WHEN taken >= most;
    CASE k.shard
      WHEN 'device_id' THEN PERFORM lock_device_records(pair.shard);
      WHEN 'basestation_id' THEN PERFORM lock_basestation_records(pair.shard);
      ELSE PERFORM lock_child_records(pair.shard);
    END CASE;
    EXECUTE format(
      'SELECT array_agg(id), array_agg(day) FROM (
         SELECT %6$s AS id, %7$s AS day FROM %1$I r
         WHERE r.%2$I = $1 AND r.%3$I = $2 AND r.%4$I < $3 AND %5$s LIMIT $4
       ) old', k.rows, k.shard, k.owner, k.date, k.which, k.id, k.day) INTO ids, days USING pair.shard, pair.owner, before, most - taken;
    CONTINUE WHEN ids IS NULL;
    IF kind = 'events' THEN
      DELETE FROM event_version v WHERE v.child_id = pair.owner AND v.event_id = ANY (ids) AND now() IS NOT NULL;
    END IF;
    EXECUTE format(
      'DELETE FROM %1$I r WHERE r.%2$I = $1 AND r.%3$I = $2 AND %4$s AND %5$s = ANY ($4) AND now() IS NOT NULL',
      k.rows, k.shard, k.owner, k.which, k.id) USING pair.shard, pair.owner, before, ids;
    GET DIAGNOSTICS gone = ROW_COUNT;
    taken := taken + gone;
    IF k.told IS NOT NULL THEN
      PERFORM add_changes_to_feed(k.told, array_fill(pair.owner, ARRAY[cardinality(ids)]), ids, days);
    END IF;
  END LOOP;
  RETURN taken;
END $$;
