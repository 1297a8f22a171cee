import { record } from '../auth/security-record.ts'
import type { Database } from '../database/database.ts'
import { noteCommand } from '../trail/operator.ts'
import type { Operator } from '../trail/operator.ts'

/** The account, and for each table the rows about the account or its children. */
type Family = { root_user: Record<string, unknown> } & Record<string, unknown>

/** Reads all data about the family of the account with `email`, except secrets; undefined if there is no account. */
export function exportFamily(
  database: Database,
  email: string,
  operator: Operator,
): Promise<Family | undefined> {
  return database.transaction(async (sql) => {
    const account = await sql
      .selectFrom('root_user')
      .select('id')
      .where((row) => row(row.fn<string>('lower', ['email']), '=', email.toLowerCase()))
      .executeTakeFirst()
    if (!account) return undefined
    await record(sql, operator, { action: 'account_export', rootUserId: account.id })
    const children = await sql
      .selectFrom('real_user')
      .select('id')
      .where('root_user_id', '=', account.id)
      .where('deleted_at', 'is', null)
      .execute()
    const realUserIds = children.map(({ id }) => id)
    await noteCommand(sql, operator, {
      operation: 'companion account export',
      realUserIds,
      isChange: false,
    })
    const { family } = await sql
      .selectNoFrom((select) => select.fn<Family>('export_family', [select.val(account.id)]).as('family'))
      .executeTakeFirstOrThrow()
    return family
  })
}
