-- Called by functions that write beside records, notes or readings, which may lie on other nodes. On one machine, one commit does.
CREATE OR REPLACE FUNCTION commit_in_two_phases() RETURNS void LANGUAGE sql AS 'SELECT';
