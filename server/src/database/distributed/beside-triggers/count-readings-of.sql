-- A trigger does this.
CREATE OR REPLACE FUNCTION count_readings_of(station int, account int, new_readings measured[]) RETURNS void
  LANGUAGE sql AS 'SELECT';
