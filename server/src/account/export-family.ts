import { recordSecurityEvent } from '../auth/security-record.ts'
import type { Database } from '../database/database.ts'
import { recordCommand } from '../trail/operator.ts'
import type { Operator } from '../trail/operator.ts'
import { decryptRow } from '../encrypted-columns/encrypted-tables.ts'
import type { KeyRing } from '../encryption/key-ring.ts'
import { accountNameConditionSql } from '../encrypted-columns/lookup.ts'

/** The account, and for each table the rows about the account or its children. */
type Family = { root_user: Record<string, unknown> } & Record<string, unknown>

/** Reads all data about the family of the account with this e-mail or id, except secrets; undefined if there is no account. */
export function exportFamilyForOperator(
  database: Database,
  name: string,
  operator: Operator,
): Promise<Family | undefined> {
  return database.transaction(async (sql) => {
    const account = await sql
      .selectFrom('root_user')
      .select('id')
      .where(accountNameConditionSql(database.keyRing, name))
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    if (!account) return undefined
    await recordSecurityEvent(sql, operator, { action: 'account_export', rootUserId: account.id })
    const children = await sql
      .selectFrom('real_user')
      .select('id')
      .where('root_user_id', '=', account.id)
      .where('deleted_at', 'is', null)
      .execute()
    const realUserIds = children.map(({ id }) => id)
    await recordCommand(sql, operator, {
      operation: 'companion account export',
      realUserIds,
      isChange: false,
    })
    const { family } = await sql
      .selectNoFrom((select) => select.fn<Family>('export_family', [select.val(account.id)]).as('family'))
      .executeTakeFirstOrThrow()
    return openTables(database.keyRing, family)
  })
}

/** Rows that `export_family` adds, with the table of their personal columns. */
const sources: Partial<Record<string, string>> = { members: 'root_user', shared_children: 'real_user' }

/** The family with its encrypted values opened. */
function openTables(keyRing: KeyRing, family: Family): Family {
  const tables = Object.entries(family).map(([name, rows]) => [
    name,
    Array.isArray(rows) ? rows.map((row) => decryptRow(keyRing, sources[name] ?? name, row)) : rows,
  ])
  return { ...Object.fromEntries(tables), root_user: decryptRow(keyRing, 'root_user', family.root_user) }
}
