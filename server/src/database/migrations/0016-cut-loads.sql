-- A load that was cut behind the service and goes on is one load, not two.
ALTER TABLE device_firmware ADD COLUMN loaded_from int;
COMMENT ON COLUMN device_firmware.loaded_from IS 'The byte at which the response began that was counted last: one that does not begin before it belongs to the same load. Null once another load has begun.';
