-- Triggers do this.
CREATE OR REPLACE FUNCTION alert_of_contact_faults(devices int[], children int[], dates timestamp[]) RETURNS void
  LANGUAGE sql AS 'SELECT';
