import { openDatabase } from '@companion/server/database/database.ts'

/** Asks a database on a connection of its own, and resolves to the rows. */
// oxlint-disable-next-line typescript/no-explicit-any -- as what the driver answers.
export async function ask(url: string, sql: string, values: unknown[] = []): Promise<any[]> {
  const database = await openDatabase(url, { pool: 1 })
  try {
    return (await database.pool.query(sql, values)).rows
  } finally {
    await database.close()
  }
}
