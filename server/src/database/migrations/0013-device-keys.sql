-- Devices that ask by hawkBit's Direct Device Integration show a key of their own.

ALTER TABLE device ADD COLUMN ddi_key_hash bytea;
COMMENT ON COLUMN device.ddi_key_hash IS 'SHA-256 of the key by which the device asks for firmware as a client of hawkBit; null if it has none.';
