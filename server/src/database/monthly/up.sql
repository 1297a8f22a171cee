DROP INDEX treatment_record, treatment_child;
ALTER INDEX treatment_record_monthly RENAME TO treatment_record;
ALTER INDEX treatment_child_monthly RENAME TO treatment_child;
-- The month and the device up to which `recluster_treatments` has come.
CREATE TABLE settled (
  is_only   boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  month     int NOT NULL DEFAULT -2147483648,
  device_id int NOT NULL DEFAULT 0
);
INSERT INTO settled DEFAULT VALUES;
-- A settled month is a small share of the table. Until a vacuum, charts of it look at the table too.
ALTER TABLE treatment SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.01);
