import type { Database } from '@companion/server/database/database.ts'

/** Conditions of the rows that nobody changes while only devices and children up to `active` are. */
export const unchangedBeyond = (active: number) => ({
  treatment: `device_id > ${active}`,
  device: `id > ${active}`,
  event: `real_user_id > ${active}`,
  real_user: 'true',
  root_user: 'true',
  consent: 'true',
})

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
