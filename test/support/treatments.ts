import type { TestServer } from './server.ts'

/** The live records of a device, oldest first, as short texts: `2026-03-01T21:30:00 #1 720s temp`. */
export async function liveRecords({ database }: TestServer, unique_id: string): Promise<string[]> {
  const { rows } = await database.pool.query<{ record: string }>(
    `SELECT concat_ws(' ', to_json(treatment_date) #>> '{}', '#' || log_file_id, treatment_time || 's',
       CASE WHEN is_temp THEN 'temp' END) AS record
     FROM treatment t JOIN device d ON d.id = t.device_id
     WHERE d.unique_id = $1 AND t.deleted_at IS NULL ORDER BY treatment_date, log_file_id`,
    [unique_id],
  )
  return rows.map(({ record }) => record)
}

/** The SQL that stores a complete record as an upload does, for a transaction that commits when a test wants it to. */
export const storing = (unique_id: string, treatment_date: string, log_file_id: number): string =>
  `SELECT store_devlogs('{${unique_id}}', '{${treatment_date}}', '{60}', '{0}', '{${log_file_id}}', '{1}', '{1}', '{false}',
     '{"{}"}', NULL, false)`
