import type { Sql } from '../database/database.ts'

/**
 * Finds a child that is not deleted, with its account, and locks it until the transaction ends: `share` prevents its
 * deletion, `update` prepares it. Lock a child before its devices.
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
