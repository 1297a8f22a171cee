/** A plan of PostgreSQL, as EXPLAIN (FORMAT JSON) gives it. */
export interface QueryPlan {
  'Plan Rows': number
  /** Of a distributed table: how many shards there are, and the plan of one. */
  'Distributed Query'?: {
    Job: { 'Task Count': number; Tasks: { 'Remote Plan'?: [[{ Plan: QueryPlan }]] }[] }
  }
}

/** How many rows the planner expects in each shard, and the number of shards, which is 1 for a table on one machine. */
export function readEstimatedRows(plan: QueryPlan | undefined): { rows: number; shards: number } {
  const job = plan?.['Distributed Query']?.Job
  // Citus itself guesses the same number for every distributed table.
  const own = job ? job.Tasks[0]?.['Remote Plan']?.[0][0].Plan : plan
  return { rows: own?.['Plan Rows'] ?? 0, shards: job?.['Task Count'] ?? 1 }
}
