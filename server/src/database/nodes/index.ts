/*
 * The one door to databases whose tables are distributed over several nodes, by Citus: docs/decisions/distributed.md. Files
 * outside this folder import nothing else of it; `pnpm check:imports` says so.
 */
export {
  citusNames,
  distributedTables,
  distributeTables,
  linkRecordsToLocks,
  MONTH_INDEXES_FIRST,
  prepareDistribution,
  undistribute,
} from './convert.ts'
export type { ConvertOptions } from './convert.ts'
export { coordinatorBeyond } from './coordinator.ts'
export type { NodeAddress } from './coordinator.ts'
export { createBreaker } from './lost-nodes.ts'
export { measureNodes } from './node-metrics.ts'
export { inspectNodes, tablesOfNodes, unencryptedNodes } from './nodes.ts'
export { rowsOfPlan } from './plan.ts'
export type { QueryPlan } from './plan.ts'
export { decisionsOn, endPrepared, isBlockedByPrepared, preparedOnNodes } from './prepared.ts'
