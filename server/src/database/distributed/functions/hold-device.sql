-- Locks a device beside its records. A transaction counts as ended on the coordinator before all nodes show what it wrote, so
-- that a lock of the row in `device` alone does not show the last holder's records.
CREATE OR REPLACE FUNCTION hold_device(device int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM device_head h WHERE h.id = device FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO device_head (id) VALUES (device) ON CONFLICT DO NOTHING;
    PERFORM 1 FROM device_head h WHERE h.id = device FOR UPDATE;
  END IF;
END $$;
