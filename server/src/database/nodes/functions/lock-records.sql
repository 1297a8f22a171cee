-- Locks a device beside its records. A transaction counts as ended on the coordinator before all nodes show what it wrote, so
-- that a lock of the row in `device` alone does not show the last holder's records.
CREATE OR REPLACE FUNCTION lock_device_records(device int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM device_lock h WHERE h.id = device FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO device_lock (id) VALUES (device) ON CONFLICT DO NOTHING;
    PERFORM 1 FROM device_lock h WHERE h.id = device FOR UPDATE;
  END IF;
END $$;

-- Locks a child beside its notes and surveys; see `lock_device_records`.
CREATE OR REPLACE FUNCTION lock_child_records(child int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM child_lock h WHERE h.id = child FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO child_lock (id) VALUES (child) ON CONFLICT DO NOTHING;
    PERFORM 1 FROM child_lock h WHERE h.id = child FOR UPDATE;
  END IF;
END $$;

-- Locks a base station beside its readings; see `lock_device_records`.
CREATE OR REPLACE FUNCTION lock_basestation_records(station int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM basestation_lock h WHERE h.id = station FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO basestation_lock (id) VALUES (station) ON CONFLICT DO NOTHING;
    PERFORM 1 FROM basestation_lock h WHERE h.id = station FOR UPDATE;
  END IF;
END $$;

-- Waits until the records of children show all that the coordinator counts as stored: until nobody holds their devices beside the records.
-- The rows of the devices are held first, as by everybody who locks several.
CREATE OR REPLACE FUNCTION await_records(children int[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  device int;
BEGIN
  FOR device IN
    SELECT d.id FROM device d
    WHERE d.real_user_id = ANY (children) OR d.id IN (SELECT device_id FROM device_history WHERE real_user_id = ANY (children))
    ORDER BY d.id FOR NO KEY UPDATE
  LOOP
    PERFORM 1 FROM device_lock h WHERE h.id = device FOR UPDATE;
  END LOOP;
END $$;
