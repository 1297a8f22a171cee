-- Stores a survey about a child, which the caller holds, and answers its id.
CREATE OR REPLACE FUNCTION add_survey(child int, attention int, impulsivity int, disorder int, at timestamptz) RETURNS int
  LANGUAGE sql AS $$
  INSERT INTO survey (real_user_id, attention_score, impulsivity_score, disorder_score, created_at)
  VALUES (child, attention, impulsivity, disorder, at)
  RETURNING id
$$;
