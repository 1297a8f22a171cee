-- Moves records of past months together, where indexes begin with the month: docs/decisions/months-in-indexes.md. Elsewhere, none.
CREATE OR REPLACE FUNCTION recluster_treatments(most int) RETURNS int LANGUAGE sql AS 'SELECT 0';
