-- Called by functions that write on the coordinator beside records, notes or readings: the nodes promise to commit before the
-- coordinator does. Citus otherwise commits what lies on a single other node first, and a coordinator that dies then has stored a
-- record without what follows from it. It does not for a transaction that changes a table of the coordinator that it knows, nor if no
-- row changes. One connection to each node is enough, and each takes part in the commit.
CREATE OR REPLACE FUNCTION commit_in_two_phases() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('citus.max_adaptive_executor_pool_size', '1', true);
  DELETE FROM two_phases;
END $$;
