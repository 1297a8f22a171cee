-- An upload looked for the marks of its children in a table beside their connections. The rows of the connections say it now. Only
-- those change whose figures are outdated.
UPDATE clinic_connection SET figures_day = NULL WHERE id IN (SELECT connection_id FROM outdated_figures);
-- The table stays for servers of the version before, and for the way back to it.
DELETE FROM outdated_figures;
COMMENT ON TABLE outdated_figures IS 'Unused since 0018: `clinic_connection.figures_day` says it.';
COMMENT ON COLUMN clinic_connection.figures_day IS 'The day on which `figures_of` has said this and all that follows: it is about the evenings before. Null until the list is first read, and after a change of the child; see `mark_figures`.';
