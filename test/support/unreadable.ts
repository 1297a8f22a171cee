import { openDatabase } from '@companion/server/database/database.ts'
import { PASSWORD } from './password.ts'

/** Secrets and personal data that all tests share: their password, tokens, phone numbers and addresses. */
const SECRET = new RegExp(`${PASSWORD}|eyJ[\\w-]+\\.[\\w-]+\\.[\\w-]+`)
const PERSONAL = /\+8210\d{8}|parent-[\da-f-]{36}@example\.com/

/** Throws if the log of a test server contains a secret or identifies a person. */
export function assertNothingToldBy(log: string): void {
  const line = log.split('\n').find((each) => SECRET.test(each) || PERSONAL.test(each))
  if (line) throw new Error(`The log of the server holds what nobody may read there: ${line.slice(0, 500)}`)
}

/** Throws if a table of a test server contains a readable password or token. */
export async function assertNothingReadableIn(url: string): Promise<void> {
  const database = await openDatabase(url, { pool: 1 })
  const { pool } = database
  try {
    const { rows: tables } = await pool.query(
      `SELECT quote_ident(relname) AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
         AND relname <> 'treatment'`,
    )
    for (const { name } of tables) {
      const { rows } = await pool.query(`SELECT t::text AS line FROM ${name} t WHERE t::text ~ $1 LIMIT 1`, [
        SECRET.source.replaceAll('\\w', '[:alnum:]_'),
      ])
      if (rows[0])
        throw new Error(`${name} holds what nobody may read there: ${String(rows[0].line).slice(0, 500)}`)
    }
  } finally {
    await database.close()
  }
}
