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
    // All tables in one statement: there are dozens of them, and hundreds of test files.
    const { rows: tables } = await pool.query<{ name: string }>(
      `SELECT quote_ident(relname) AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
         AND relname <> 'treatment'`,
    )
    const selects = tables.map(
      ({ name }) => `(SELECT '${name}' AS name, t::text AS line FROM ${name} t WHERE t::text ~ $1 LIMIT 1)`,
    )
    const { rows } = await pool.query<{ name: string; line: string }>(selects.join(' UNION ALL '), [
      SECRET.source.replaceAll('\\w', '[:alnum:]_'),
    ])
    const [found] = rows
    if (found) throw new Error(`${found.name} holds what nobody may read there: ${found.line.slice(0, 500)}`)
  } finally {
    await database.close()
  }
}
