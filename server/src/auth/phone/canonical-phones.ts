import { sql as raw } from 'kysely'
import type { Database } from '../../database/database.ts'
import { phoneConditionSql, phoneColumns } from '../../encrypted-columns/lookup.ts'
import { isUniqueViolation } from '../../database/sql-errors.ts'
import { UnreadableValue } from '../../encryption/key-ring.ts'
import { canonicalPhone } from './phone-number.ts'

/** Few enough that their rows are locked for milliseconds. */
const ROWS_AT_ONCE = 200

/** Two living accounts of one number: `root_user_id` keeps the spelling in which it was stored. */
interface SharedNumber {
  root_user_id: number
  other_root_user_id: number
}

/**
 * Rewrites the phone numbers that older versions stored in another spelling than E.164's (with the national zero after the
 * calling code), so that their accounts are found. Where another account has the number already, both stay as they are and are
 * returned: which one is right is the operator's decision. Can be repeated, and goes on where another process has ended.
 */
export async function canonicalizePhones({
  sql,
  transaction,
  keyRing,
}: Pick<Database, 'sql' | 'transaction' | 'keyRing'>): Promise<SharedNumber[]> {
  const shared: SharedNumber[] = []
  for (let after = 0; ;) {
    const rows = await sql
      .selectFrom('root_user')
      .select(['id', 'phone'])
      .where('is_phone_canonical', '=', false)
      .where('id', '>', after)
      .orderBy('id')
      .limit(ROWS_AT_ONCE)
      .execute()
    const last = rows.at(-1)
    if (!last) return shared
    const right: number[] = []
    for (const { id, phone } of rows) {
      const stored = opened(keyRing, phone)
      const canonical = stored === undefined ? undefined : canonicalPhone(stored)
      if (canonical === undefined || canonical === stored) right.push(id)
      else {
        const other = await rewrite({ transaction, keyRing }, { id, phone, canonical })
        if (other !== undefined) shared.push({ root_user_id: id, other_root_user_id: other })
      }
    }
    await sql
      .updateTable('root_user')
      .set({ is_phone_canonical: true })
      .where('id', '=', raw<number>`ANY (${right}::int[])`)
      .execute()
    after = last.id
  }
}

/** What no key opens stays as it is. */
function opened(keyRing: Database['keyRing'], phone: string | null): string | undefined {
  try {
    return keyRing.decrypt('root_user.phone', phone) ?? undefined
  } catch (error) {
    if (error instanceof UnreadableValue) return undefined
    throw error
  }
}

/** Resolves to the account that has the number already. Leaves a number alone that was changed meanwhile. */
async function rewrite(
  { transaction, keyRing }: Pick<Database, 'transaction' | 'keyRing'>,
  { id, phone, canonical }: { id: number; phone: string | null; canonical: string },
): Promise<number | undefined> {
  const attempt = () =>
    transaction(async (sql) => {
      const other = await sql
        .selectFrom('root_user')
        .select('id')
        .where(phoneConditionSql(keyRing, canonical))
        .where('id', '<>', id)
        .executeTakeFirst()
      if (other) return other.id
      await sql
        .updateTable('root_user')
        .set({ ...phoneColumns(keyRing, canonical), is_phone_canonical: true })
        .where('id', '=', id)
        .where('phone', '=', phone)
        .execute()
      return undefined
    })
  // Somebody signed up with the number in this moment, and is found by the second look.
  return attempt().catch((error: unknown) => {
    if (isUniqueViolation(error)) return attempt()
    throw error
  })
}

/** What the operator reads about two accounts of one number. */
export const describeSharedNumber = ({ root_user_id, other_root_user_id }: SharedNumber) =>
  `Accounts ${root_user_id} and ${other_root_user_id} hold the same phone number in two spellings. Both stay as they are; account ${root_user_id} cannot be found by its number until one of them changes it or is deleted.`
