import type { Sql } from '../database/database.ts'

const switches = [
  ['push', 'is_push_agree'],
  ['marketing', 'is_marketing_agree'],
] as const

/**
 * Writes the given consents into the ledger, each only if it differs from the one in force. The caller's transaction
 * has made or locked the account, so that no other change comes between. `source`: where the account holder said so.
 * Returns what has changed, in words for the security record.
 */
export async function recordConsents(
  sql: Sql,
  rootUserId: number,
  given: { is_push_agree?: boolean | undefined; is_marketing_agree?: boolean | undefined },
  source: 'sign-up' | 'settings' | 'import',
): Promise<string[]> {
  const policy = await sql
    .selectFrom('policy')
    .select(['is_push_agree', 'is_marketing_agree'])
    .where('root_user_id', '=', rootUserId)
    .executeTakeFirst()
  const recorded_at = new Date()
  const changes = switches.flatMap(([kind, field]) => {
    const [old_value, new_value] = [policy?.[field] ?? null, given[field]]
    if (new_value === undefined || new_value === old_value) return []
    return [{ root_user_id: rootUserId, kind, old_value, new_value, source, recorded_at }]
  })
  if (changes.length > 0) await sql.insertInto('consent').values(changes).execute()
  return changes.map(({ kind, new_value }) => `${kind} ${new_value ? 'given' : 'withdrawn'}`)
}
