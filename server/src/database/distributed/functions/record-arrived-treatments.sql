-- No distributed table has triggers: the functions that change records do this.
DROP FUNCTION IF EXISTS record_arrived_treatments() CASCADE;
