-- Since when a child has worn a device, and with which firmware: a row for each change of either. A report says what was
-- worn, and counts no date before the first pairing.
CREATE TABLE device_history (
  device_id      int NOT NULL REFERENCES device ON DELETE CASCADE,
  real_user_id   int NOT NULL REFERENCES real_user ON DELETE CASCADE,
  firmware_id    int NOT NULL,
  since          timestamptz NOT NULL,
  until          timestamptz,
  last_upload_at timestamptz
);
-- A device has one wearer and one firmware at a time.
CREATE UNIQUE INDEX device_history_open ON device_history (device_id) WHERE until IS NULL;
CREATE INDEX device_history_device ON device_history (device_id);
CREATE INDEX device_history_child ON device_history (real_user_id);
INSERT INTO device_history (device_id, real_user_id, firmware_id, since)
SELECT id, real_user_id, now_firmware_id, coalesce(connected_at, created_at) FROM device WHERE real_user_id IS NOT NULL;

-- When a record of the present wearer last arrived; on the row that uploads write anyway.
ALTER TABLE device ADD last_upload_at timestamptz;
