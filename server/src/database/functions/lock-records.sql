-- Locks a device beside its records, a child beside its notes and surveys, a base station beside its readings. On one machine the
-- locks of their own rows do.
CREATE OR REPLACE FUNCTION lock_device_records(device int) RETURNS void LANGUAGE sql AS 'SELECT';
CREATE OR REPLACE FUNCTION lock_child_records(child int) RETURNS void LANGUAGE sql AS 'SELECT';
CREATE OR REPLACE FUNCTION lock_basestation_records(station int) RETURNS void LANGUAGE sql AS 'SELECT';

-- Waits until the records of children show all that the coordinator counts as stored. Answers the children of whom this is known.
CREATE OR REPLACE FUNCTION await_committed_records(children int[]) RETURNS int[] LANGUAGE sql AS 'SELECT children';
