-- Lets the caller, who has locked a device, see all its records; see `hold_device`.
CREATE OR REPLACE FUNCTION hold_records(device int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM hold_device(device);
END $$;
