-- Tells those who watch children of what has changed; what clinics are told of their nights is then outdated.
CREATE OR REPLACE FUNCTION add_changes_to_feed(kind text, children int[], subjects bigint[], dates date[]) RETURNS void
  LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  IF cardinality(children) > 0 THEN
    INSERT INTO change (xact_id, kind, real_user_id, subject_id, date)
    -- The place is asked for once, and only if somebody is told.
    SELECT (SELECT feed_place()), add_changes_to_feed.kind, c.child, c.subject, c.date
    FROM unnest(children, subjects, dates) WITH ORDINALITY AS c (child, subject, date, n)
    WHERE c.child = ANY (ARRAY(
      -- OFFSET 0: an index entry is looked up for each, however many are watched.
      SELECT w.child FROM (SELECT DISTINCT unnest(children) AS child) w
      WHERE EXISTS (SELECT 1 FROM children_followed_by_others() WHERE id = w.child OFFSET 0)))
    ORDER BY c.n;
    IF FOUND THEN
      PERFORM commit_in_two_phases();
    END IF;
    IF kind LIKE 'treatment.%' AND mark_figures(children) THEN
      PERFORM commit_in_two_phases();
    END IF;
  END IF;
END $$;
