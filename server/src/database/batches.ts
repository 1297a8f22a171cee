import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'
import type { Sql } from './database.ts'

/** So few pages that their rows are held for milliseconds, and their values fit in memory. */
const PAGES_AT_ONCE = 4
/** About as many rows as are on these pages. */
const ROWS_AT_ONCE = 200

/** Some rows of a table, which lie together. */
export interface Batch {
  /** SQL condition of them. */
  rows: RawBuilder<unknown>
  /** The columns that tell them apart. */
  keys: readonly Key[]
  /** Of the table, up to and with them. */
  share: number
}

interface Key {
  name: string
  type: string
}

/**
 * Goes through a table in the order in which its rows are stored. Rows of a distributed table, whose pages lie on other nodes,
 * are gone through in the order of its primary key; of these, only those that are `wanted`.
 */
export async function* tableBatches(
  connection: Sql,
  table: string,
  wanted: RawBuilder<unknown>,
): AsyncGenerator<Batch> {
  const keys = await keysIfDistributed(connection, table)
  yield* keys.length > 0 ? byKey(connection, table, keys, wanted) : byPage(connection, table)
}

async function* byPage(connection: Sql, table: string): AsyncGenerator<Batch> {
  const pages = await pageCount(connection, table)
  for (let page = 0; page < pages; page += PAGES_AT_ONCE)
    yield {
      rows: sql`ctid >= ${`(${page},0)`}::tid AND ctid < ${`(${page + PAGES_AT_ONCE},0)`}::tid`,
      keys: [{ name: 'ctid', type: 'tid' }],
      share: Math.min(1, (page + PAGES_AT_ONCE) / pages),
    }
}

/** How many pages a table has on this node. */
export async function pageCount(connection: Sql, table: string): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    SELECT (pg_relation_size(${table}::regclass) / current_setting('block_size')::int)::int AS pages`.execute(
    connection,
  )
  return rows[0]?.pages ?? 0
}

/** Each batch is of one value of the first key, so of one node. */
async function* byKey(
  connection: Sql,
  table: string,
  keys: Key[],
  wanted: RawBuilder<unknown>,
): AsyncGenerator<Batch> {
  const { rows: counted } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM ${sql.table(table)} WHERE ${wanted}`.execute(connection)
  const columns = sql`ROW(${sql.join(keys.map(({ name }) => sql.ref(name)))})`
  const rowOf = (values: readonly string[]) =>
    sql`ROW(${sql.join(values.map((value, n) => sql`${value}::${sql.raw(keys[n]?.type ?? '')}`))})`
  let done = 0
  for (let after: readonly string[] | undefined; ;) {
    const { rows } = await sql<{ values: string[] }>`
      SELECT ARRAY[${sql.join(keys.map(({ name }) => sql`${sql.ref(name)}::text`))}] AS values
      FROM ${sql.table(table)} WHERE ${wanted} ${after ? sql`AND ${columns} > ${rowOf(after)}` : sql``}
      ORDER BY ${sql.join(keys.map(({ name }) => sql.ref(name)))} LIMIT ${ROWS_AT_ONCE}`.execute(connection)
    const runs = Map.groupBy(rows, ({ values }) => values[0] ?? '')
    for (const [owner, run] of runs) {
      done += run.length
      const [first, last] = [run[0]?.values ?? [], run.at(-1)?.values ?? []]
      yield {
        rows: sql`${sql.ref(keys[0]?.name ?? '')} = ${owner}::${sql.raw(keys[0]?.type ?? '')}
          AND ${columns} >= ${rowOf(first)} AND ${columns} <= ${rowOf(last)}`,
        keys,
        share: Math.min(1, done / (counted[0]?.count || 1)),
      }
    }
    if (rows.length < ROWS_AT_ONCE) return
    after = rows.at(-1)?.values
  }
}

/** The primary key of a distributed table, which begins with the column that tells the node; none of an ordinary one. */
async function keysIfDistributed(connection: Sql, table: string): Promise<Key[]> {
  const { rows: engine } = await sql`SELECT WHERE to_regclass('pg_dist_partition') IS NOT NULL`.execute(
    connection,
  )
  if (engine.length === 0) return []
  const { rows } = await sql<Key>`
    SELECT attname AS name, format_type(atttypid, atttypmod) AS type
    FROM pg_dist_partition JOIN pg_index ON indrelid = logicalrelid AND indisprimary
      JOIN pg_attribute ON attrelid = logicalrelid AND attnum = ANY (indkey)
    WHERE logicalrelid = ${table}::regclass AND partmethod = 'h'
    ORDER BY attname <> column_to_column_name(logicalrelid, partkey), array_position(indkey::int2[], attnum)`.execute(
    connection,
  )
  return rows
}
