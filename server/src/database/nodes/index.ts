/*
 * The one door to databases whose tables are distributed over several nodes, by Citus: docs/decisions/distributed.md. Files
 * outside this folder import nothing else of it; `pnpm check:imports` says so.
 */
export {
  listCitusTables,
  distributedTables,
  distributeTables,
  linkRecordsToLocks,
  MONTHLY_INDEXES_ERROR,
  prepareDistribution,
  undistribute,
} from './convert.ts'
export type { ConvertOptions } from './convert.ts'
export { findCoordinatorAddress } from './coordinator.ts'
export type { NodeAddress } from './coordinator.ts'
export { createBreaker } from './lost-nodes.ts'
export { measureNodes } from './node-metrics.ts'
export { inspectNodes, listDistributedTables, unencryptedNodes } from './nodes.ts'
export { readEstimatedRows } from './plan.ts'
export type { QueryPlan } from './plan.ts'
export {
  findTransactionDecisions,
  recoverPreparedTransactions,
  isBlockedByPrepared,
  listPreparedTransactions,
} from './prepared.ts'
