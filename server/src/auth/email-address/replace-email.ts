import type { Database } from '../../database/database.ts'
import { emailColumns } from '../../encrypted-columns/lookup.ts'
import { isUniqueViolation } from '../../database/sql-errors.ts'
import { Failure } from '../../errors/failure.ts'
import type { Context } from '../../http/context.ts'
import type { HolderLanguage } from '../../http/language.ts'
import type { Operator } from '../../trail/operator.ts'
import { isEmail } from './email-address.ts'
import { assertEmailAvailable, deleteConfirmationLinks } from './email-confirmation.ts'
import { recordSecurityEvent } from '../security-record.ts'

type Replaced =
  /** With the language of the holder and the address before, if there was one. */
  | { outcome: 'changed'; holder: HolderLanguage; before: string | null }
  | { outcome: 'not an address' | 'unknown' | 'taken' }

/**
 * Gives a parent's account another address, as an operator. Nobody has proven it: the next sign-in sends the mail that asks for it, and
 * links that were sent to the address before are void. Sessions stay.
 */
export async function replaceEmail(
  { transaction, keyRing }: Pick<Database, 'transaction' | 'keyRing'>,
  ctx: Pick<Context, 'keys' | 'tombstoneDays'> & { operator: Operator },
  { id, email }: { id: number; email: string },
): Promise<Replaced> {
  if (!isEmail(email)) return { outcome: 'not an address' }
  try {
    return await transaction(async (sql) => {
      const account = await sql
        .selectFrom('root_user')
        .select(['email', 'language', 'national_code'])
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        // A clinician's address is no parent's, and opens no reset of a password.
        .where('register_type', '<>', 'P')
        .forUpdate()
        .executeTakeFirst()
      if (!account) return { outcome: 'unknown' as const }
      await assertEmailAvailable(sql, { ...ctx, keyRing }, email, id)
      await sql
        .updateTable('root_user')
        .set({ ...emailColumns(keyRing, email), email_confirmed_at: null, confirmation_mailed_at: null })
        .where('id', '=', id)
        .execute()
      await deleteConfirmationLinks(sql, id)
      await recordSecurityEvent(sql, ctx.operator, { action: 'email_change', rootUserId: id })
      const before = keyRing.decrypt('root_user.email', account.email)
      return { outcome: 'changed' as const, holder: account, before }
    })
  } catch (error) {
    if (isUniqueViolation(error) || (error instanceof Failure && error.status === 409))
      return { outcome: 'taken' }
    throw error
  }
}
