-- The child whose records a public deletion took. The next wearer's family must not read of it in its export. Deletions from
-- before belong to the child of the records that they took, as far as there are any.
ALTER TABLE devlog_deletion ADD real_user_id int;
UPDATE devlog_deletion j SET real_user_id = (
  SELECT t.real_user_id FROM treatment t WHERE t.deletion_id = j.id LIMIT 1
);
