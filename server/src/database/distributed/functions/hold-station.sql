-- Locks a base station beside its readings; see `hold_device`.
CREATE OR REPLACE FUNCTION hold_station(station int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM basestation_head h WHERE h.id = station FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO basestation_head (id) VALUES (station) ON CONFLICT DO NOTHING;
    PERFORM 1 FROM basestation_head h WHERE h.id = station FOR UPDATE;
  END IF;
END $$;
