DROP INDEX treatment_record, treatment_child;
ALTER INDEX treatment_record_plain RENAME TO treatment_record;
ALTER INDEX treatment_child_plain RENAME TO treatment_child;
DROP FUNCTION calendar_months(timestamp, timestamp), calendar_month(timestamp);
DROP TABLE settled;
ALTER TABLE treatment RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_insert_scale_factor);
