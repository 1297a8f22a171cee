import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Sql } from './database.ts'
import { readEstimatedRows } from './nodes/index.ts'
import type { QueryPlan } from './nodes/index.ts'

/** How many rows PostgreSQL expects of a query by its statistics: of each shard, and the number of shards. */
export async function estimateQueryRows(
  connection: Sql,
  query: RawBuilder<unknown>,
): Promise<{ rows: number; shards: number }> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: QueryPlan }] }>`
    EXPLAIN (FORMAT JSON) ${query}`.execute(connection)
  return readEstimatedRows(rows[0]?.['QUERY PLAN'][0].Plan)
}
