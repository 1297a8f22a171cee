-- No distributed table has triggers: `keep_records` does this.
DROP FUNCTION IF EXISTS alert_contact_fault() CASCADE;
