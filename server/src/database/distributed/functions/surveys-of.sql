-- The surveys about a child that were answered within [since, until).
CREATE OR REPLACE FUNCTION surveys_of(child int, since timestamptz, until timestamptz) RETURNS SETOF survey_row
  LANGUAGE plpgsql ROWS 5 AS $$
BEGIN
  RETURN QUERY SELECT s.id, s.real_user_id, s.attention_score, s.impulsivity_score, s.disorder_score, s.created_at
    FROM survey s WHERE s.real_user_id = child AND s.created_at >= since AND s.created_at < until;
  PERFORM refuse_older_view('survey');
END $$;
