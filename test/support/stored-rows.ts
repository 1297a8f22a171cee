import type { Database } from '@companion/server/database/database.ts'
import { decryptRow } from '@companion/server/encrypted-columns/encrypted-tables.ts'

/** The rows of a statement whose personal columns are those of `table`, as people read them. */
export async function storedRows(
  { pool, keyRing }: Pick<Database, 'pool' | 'keyRing'>,
  table: string,
  statement: string,
  values: unknown[] = [],
  // oxlint-disable-next-line typescript/no-explicit-any -- as what the driver answers
): Promise<any[]> {
  const { rows } = await pool.query(statement, values)
  return rows.map((row) => decryptRow(keyRing, table, row))
}
