import { sql } from 'kysely'
import type { Sql } from '../database/database.ts'

/** How many treatments break a rule that no constraint of the database keeps. */
export interface Inconsistencies {
  without_device: number
  without_child: number
  temporary_beside_complete: number
}

/** Looks through all treatments, for which foreign keys would have to be paid with every upload. */
export async function checkDevlogs(database: Sql): Promise<Inconsistencies> {
  const { rows } = await sql<Inconsistencies>`SELECT
    (SELECT count(*)::int FROM treatment t
      WHERE NOT EXISTS (SELECT FROM device WHERE id = t.device_id)) AS without_device,
    (SELECT count(*)::int FROM treatment t
      WHERE NOT EXISTS (SELECT FROM real_user WHERE id = t.real_user_id AND deleted_at IS NULL)) AS without_child,
    (SELECT count(*)::int FROM treatment t
      WHERE is_temp AND deleted_at IS NULL AND EXISTS (
        SELECT FROM treatment c WHERE c.device_id = t.device_id AND c.treatment_date = t.treatment_date
          AND c.deleted_at IS NULL AND NOT c.is_temp)) AS temporary_beside_complete`.execute(database)
  const [found] = rows
  if (!found) throw new Error('The check gave no answer')
  return found
}
