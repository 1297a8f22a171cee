-- Stores a note about a day of a child, which the caller holds, and answers it as it is then. Without the id of a `note`, it
-- takes the place of the one that is there; else that note moves to the day, and of it changes what is not null. A note that
-- was emptied gives way to one that moves onto its day, and leaves its versions to it.
CREATE OR REPLACE FUNCTION save_event(
  child int, note int, day date, new_memo text, new_event_data jsonb, at timestamptz, account int
) RETURNS SETOF event LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  old record;
  new_id int;
  emptied record;
  taken_over int;
BEGIN
  PERFORM lock_child_records(child);
  IF note IS NULL THEN
    SELECT e.* INTO old FROM event e WHERE e.real_user_id = child AND e.event_date = day FOR UPDATE;
  ELSE
    SELECT e.* INTO old FROM event e WHERE e.real_user_id = child AND e.id = note FOR UPDATE;
  END IF;
  IF old.id IS NOT NULL THEN
    IF note IS NOT NULL THEN
      new_memo := coalesce(new_memo, old.memo);
      new_event_data := coalesce(new_event_data, old.event_data);
      SELECT e.* INTO emptied FROM event e
        WHERE e.real_user_id = child AND e.event_date = day AND e.id <> note
          AND e.memo = '' AND e.event_data = '{"medication": [], "hospital": []}'
        FOR UPDATE;
      IF emptied.id IS NOT NULL THEN
        UPDATE event_version v SET event_id = note, version = old.version + place.number - 1
          FROM (SELECT o.version, row_number() OVER (ORDER BY o.version) AS number FROM event_version o
                WHERE o.child_id = child AND o.event_id = emptied.id) place
          WHERE v.child_id = child AND v.event_id = emptied.id AND v.version = place.version AND now() IS NOT NULL;
        GET DIAGNOSTICS taken_over = ROW_COUNT;
        INSERT INTO event_version (child_id, event_id, version, event_date, memo, event_data, saved_at, saved_by)
          VALUES (child, note, old.version + taken_over, day, emptied.memo, emptied.event_data, emptied.saved_at,
            emptied.saved_by);
        DELETE FROM event e WHERE e.real_user_id = child AND e.id = emptied.id AND now() IS NOT NULL;
        UPDATE event e SET version = old.version + taken_over + 1
          WHERE e.real_user_id = child AND e.id = note AND now() IS NOT NULL;
        PERFORM add_changes_to_feed('note.deleted', ARRAY[child], ARRAY[emptied.id::bigint], ARRAY[day]);
      END IF;
    END IF;
    RETURN QUERY SELECT * FROM update_event(child, old.id, day, new_memo, new_event_data, at, account);
  ELSIF note IS NULL THEN
    INSERT INTO event (real_user_id, event_date, memo, event_data, saved_at, saved_by)
      VALUES (child, day, new_memo, new_event_data, at, account)
      ON CONFLICT (real_user_id, event_date) DO NOTHING RETURNING id INTO new_id;
    IF new_id IS NULL THEN
      -- Another save of the day has just been faster.
      SELECT e.id INTO new_id FROM event e WHERE e.real_user_id = child AND e.event_date = day FOR UPDATE;
      RETURN QUERY SELECT * FROM update_event(child, new_id, day, new_memo, new_event_data, at, account);
      RETURN;
    END IF;
    PERFORM add_changes_to_feed('note.saved', ARRAY[child], ARRAY[new_id::bigint], ARRAY[day]);
    RETURN QUERY SELECT * FROM event e WHERE e.real_user_id = child AND e.id = new_id;
  END IF;
END $$;
