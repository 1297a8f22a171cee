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
-- Answers the children of whom this is known: a device whose row is held is left to its holder, for as long as that may take.
CREATE OR REPLACE FUNCTION await_committed_records(children int[]) RETURNS int[] LANGUAGE plpgsql AS $$
DECLARE
  held int[] := ARRAY(
    SELECT d.id FROM device d
    WHERE d.real_user_id = ANY (children) OR d.id IN (SELECT device_id FROM device_history WHERE real_user_id = ANY (children))
    ORDER BY d.id FOR NO KEY UPDATE SKIP LOCKED);
BEGIN
  FOR n IN 1 .. cardinality(held) LOOP
    PERFORM 1 FROM device_lock h WHERE h.id = held[n] FOR UPDATE;
  END LOOP;
  RETURN ARRAY(
    SELECT child FROM unnest(children) child
    WHERE NOT EXISTS (
      SELECT FROM device d
      WHERE (d.real_user_id = child OR d.id IN (SELECT device_id FROM device_history WHERE real_user_id = child)) AND d.id <> ALL (held)));
END $$;
