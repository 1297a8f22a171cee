import { CLINICIAN_ACCOUNT_TYPE } from '../auth/tokens/session.ts'
import type { Sql } from '../database/database.ts'
import type { HolderLanguage } from '../http/language.ts'
import { eraseAccount } from './erase-account.ts'

/**
 * Erases the account of a clinician, whose work in clinics ends. Resolves to where its holder is told of it, and in which language;
 * undefined if there is no such account.
 */
export async function eraseClinician(
  sql: Sql,
  id: number,
  around: Parameters<typeof eraseAccount>[2],
): Promise<(HolderLanguage & { email: string | null }) | undefined> {
  const account = await sql
    .selectFrom('root_user')
    .select(['email', 'is_contact_email', 'phone', 'token_epoch', 'language', 'national_code'])
    .where('id', '=', id)
    .where('register_type', '=', CLINICIAN_ACCOUNT_TYPE)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (!account) return undefined
  await eraseAccount(sql, { id, ...account }, around)
  const { language, national_code } = account
  return { language, national_code, email: around.keyRing.decrypt('root_user.email', account.email) }
}
