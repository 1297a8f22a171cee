-- Locks a child beside its notes and surveys; see `hold_device`.
CREATE OR REPLACE FUNCTION hold_child(child int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM child_head h WHERE h.id = child FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO child_head (id) VALUES (child) ON CONFLICT DO NOTHING;
    PERFORM 1 FROM child_head h WHERE h.id = child FOR UPDATE;
  END IF;
END $$;
