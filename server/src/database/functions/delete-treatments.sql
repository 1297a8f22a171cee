-- Does a step of a deletion: deletes softly at most `most` of the live records before `until` that a child has made with a
-- device, which the caller holds, in the order of dates and log files after the place (`after_date`, `after_file`). Answers
-- how many, and the place of the last; null if none are left.
--
-- The first step has no `last_id`. It takes all temporary records too, and answers the highest id there is: those stored from
-- then on have higher ones and stay. A temporary record keeps its id when it is completed, so all of them go at once.
--
-- A deletion that the operator has undone by now goes no further: what it took after that could not be brought back.
CREATE OR REPLACE FUNCTION delete_treatments(
  device int, child int, until timestamp, deletion int, at timestamptz, most int, INOUT last_id bigint,
  INOUT after_date timestamp, INOUT after_file int, OUT deleted int
) LANGUAGE plpgsql AS $$
DECLARE
  is_first boolean := last_id IS NULL;
  ids bigint[];
  dates date[];
  up_to_date timestamp;
  up_to_file int;
BEGIN
  deleted := 0;
  IF NOT EXISTS (SELECT 1 FROM devlog_deletion d WHERE d.id = deletion AND d.restored_at IS NULL) THEN
    after_date := NULL;
    RETURN;
  END IF;
  PERFORM lock_device_records(device);
  IF is_first THEN
    SELECT last_value INTO last_id FROM treatment_id_seq;
  END IF;
  SELECT t.treatment_date, t.log_file_id INTO up_to_date, up_to_file FROM treatment t
  WHERE t.device_id = device AND t.real_user_id = child AND t.deleted_at IS NULL AND t.treatment_date < until
    AND t.id <= last_id AND (t.treatment_date, t.log_file_id) > (after_date, after_file) AND NOT (is_first AND t.is_temp)
    AND may_be_dated_between(t.treatment_date, after_date, until)
  ORDER BY t.treatment_date, t.log_file_id OFFSET most - 1 LIMIT 1;
  SELECT array_agg(t.id), array_agg(t.treatment_date::date) INTO ids, dates FROM treatment t
  WHERE t.device_id = device AND t.real_user_id = child AND t.deleted_at IS NULL AND t.treatment_date < until
    AND may_be_dated_between(t.treatment_date, '-infinity', until)
    AND (is_first AND t.is_temp
      OR t.id <= last_id AND (t.treatment_date, t.log_file_id) > (after_date, after_file)
        AND (t.treatment_date, t.log_file_id) <= (coalesce(up_to_date, 'infinity'), coalesce(up_to_file, 0)));
  after_date := up_to_date;
  after_file := up_to_file;
  IF ids IS NULL THEN
    RETURN;
  END IF;
  UPDATE treatment t SET deleted_at = at, deletion_id = deletion
    WHERE t.device_id = device AND t.deleted_at IS NULL AND t.id = ANY (ids) AND now() IS NOT NULL
      AND may_be_dated_between(t.treatment_date, '-infinity', until);
  deleted := cardinality(ids);
  PERFORM commit_in_two_phases();
  PERFORM add_changes_to_feed('treatment.deleted', array_fill(child, ARRAY[deleted]), ids, dates);
END $$;
