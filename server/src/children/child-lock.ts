import { sql } from 'kysely'
import type { Sql } from '../database/database.ts'
import type { Role } from '../http/right.ts'

const liveChild = (tx: Sql, realUserId: number) =>
  tx.selectFrom('real_user').where('id', '=', realUserId).where('deleted_at', 'is', null)

/**
 * Finds a child that is not deleted, with its account, and locks it until the transaction ends: `share` prevents its
 * deletion, `update` prepares it. Lock a child before its devices.
 *
 * `update` does not block transactions that only look the child up for a foreign key. They may hold the devices already: a transaction that
 * changes a device twice, or notes its firmware, does so.
 */
export const lockChild = (
  tx: Sql,
  realUserId: number,
  strength: 'share' | 'update',
): Promise<{ root_user_id: number } | undefined> =>
  liveChild(tx, realUserId)
    .select('root_user_id')
    .$call((child) => (strength === 'share' ? child.forShare() : child.forNoKeyUpdate()))
    .executeTakeFirst()

/** The same, for a caller whose role towards the child on the service's date `today` decides. */
export const lockChildAndReadRole = (
  tx: Sql,
  realUserId: number,
  { rootUserId, today }: { rootUserId: number; today: string },
  strength: 'share' | 'update' = 'share',
): Promise<{ role: Role | null } | undefined> =>
  liveChild(tx, realUserId)
    .select(sql<Role | null>`child_role(real_user, ${rootUserId}, ${today})`.as('role'))
    .$call((child) => (strength === 'share' ? child.forShare() : child.forNoKeyUpdate()))
    .executeTakeFirst()
