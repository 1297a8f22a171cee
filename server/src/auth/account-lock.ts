import type { Sql } from '../database/database.ts'

/**
 * Finds an account that is not deleted, and prevents its deletion until the transaction ends. Lock an account before its
 * children, and both before memberships and invitations.
 */
export const lockAccount = (sql: Sql, rootUserId: number) =>
  sql
    .selectFrom('root_user')
    .select(['id', 'first_name', 'email', 'language', 'national_code'])
    .where('id', '=', rootUserId)
    .where('deleted_at', 'is', null)
    .forShare()
    .executeTakeFirst()
