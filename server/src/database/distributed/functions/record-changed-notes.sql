-- No distributed table has triggers: the functions that store notes and surveys do this.
DROP TRIGGER IF EXISTS record_new_event ON event;
DROP TRIGGER IF EXISTS record_changed_event ON event;
DROP TRIGGER IF EXISTS record_new_survey ON survey;
