import type { Sql } from '../database/database.ts'

/**
 * Finds a child that is not deleted, and who its account is, and holds it until the transaction ends: with `share`
 * against its deletion, with `update` for it. A child is locked before its devices.
 */
export const lockChild = (
  sql: Sql,
  realUserId: number,
  strength: 'share' | 'update',
): Promise<{ root_user_id: number } | undefined> =>
  sql
    .selectFrom('real_user')
    .select('root_user_id')
    .where('id', '=', realUserId)
    .where('deleted_at', 'is', null)
    .$call((child) => (strength === 'share' ? child.forShare() : child.forUpdate()))
    .executeTakeFirst()
