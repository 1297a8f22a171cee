-- Erases a child's notes, with their versions, and surveys.
CREATE OR REPLACE FUNCTION erase_notes(child int) RETURNS void LANGUAGE sql AS $$
  DELETE FROM event e WHERE e.real_user_id = child;
  DELETE FROM survey s WHERE s.real_user_id = child;
$$;
