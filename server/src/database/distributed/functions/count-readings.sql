-- No distributed table has triggers: `store_readings` does this.
DROP FUNCTION IF EXISTS count_readings() CASCADE;
