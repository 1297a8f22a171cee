-- Tells those who watch children of records that are new, and of the last `completed` ones that were temporary before, and alerts
-- to contact losses (4) among all of them.
CREATE OR REPLACE FUNCTION publish_stored(
  ids bigint[], children int[], dates timestamp[], devices int[], flags smallint[], completed int
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  new_ones int := cardinality(ids) - completed;
BEGIN
  PERFORM add_changes_to_feed('treatment.stored', children[:new_ones], ids[:new_ones], dates[:new_ones]::date[]);
  IF completed > 0 THEN
    PERFORM add_changes_to_feed('treatment.completed', children[new_ones + 1:], ids[new_ones + 1:], dates[new_ones + 1:]::date[]);
  END IF;
  IF 4 = ANY (flags) THEN
    PERFORM alert_of_contact_losses(array_agg(k.device), array_agg(k.child), array_agg(k.date))
      FROM unnest(devices, children, dates, flags) AS k (device, child, date, flag) WHERE k.flag = 4;
  END IF;
END $$;
