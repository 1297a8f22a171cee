import type { Database } from '@companion/server/database/database.ts'

/** Of each table how many rows fulfil its condition, and a hash of `columns` of them. */
export async function hashesOf(
  { pool }: Database,
  columns: Record<string, string>,
  conditions: Record<string, string>,
): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const [table, condition] of Object.entries(conditions)) {
    const { rows } = await pool.query(
      `SELECT count(*) || ' ' || sum(hashtextextended(t::text, 0)::numeric) AS hash
       FROM (SELECT ${columns[table]} FROM ${table} WHERE ${condition}) t`,
    )
    found[table] = rows[0].hash
  }
  return found
}
