-- Stores a survey about a child, which the caller holds, tells those who watch the child, and answers its id.
CREATE OR REPLACE FUNCTION add_survey(child int, attention int, impulsivity int, disorder int, at timestamptz) RETURNS int
  LANGUAGE plpgsql AS $$
DECLARE
  new_id int;
BEGIN
  PERFORM lock_child_records(child);
  INSERT INTO survey (real_user_id, attention_score, impulsivity_score, disorder_score, created_at)
    VALUES (child, attention, impulsivity, disorder, at) RETURNING id INTO new_id;
  PERFORM add_changes_to_feed('survey.submitted', ARRAY[child], ARRAY[new_id::bigint], ARRAY[NULL::date]);
  RETURN new_id;
END $$;
