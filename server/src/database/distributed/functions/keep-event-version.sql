-- No distributed table has triggers: `change_event` does this.
DROP FUNCTION IF EXISTS keep_event_version() CASCADE;
