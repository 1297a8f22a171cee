import { sql as raw } from 'kysely'
import type { Keys } from '../auth/keys.ts'
import { identityHashInput } from '../auth/new-account.ts'
import { recordSecurityEvent } from '../auth/security-record.ts'
import type { Sql } from '../database/database.ts'
import { emailColumns, phoneColumns } from '../encrypted-columns/lookup.ts'
import type { KeyRing } from '../encryption/key-ring.ts'
import { disconnectDevices, lockDevicesOfChildren } from '../devices/pairing.ts'

/** The account as it is, locked by the caller. */
interface Account {
  id: number
  email: string | null
  is_contact_email: boolean
  phone: string | null
  token_epoch: number
}

/**
 * Erases an account, its children and all that is known about them; a trigger deletes the data of which nothing is kept.
 * Resolves to the ids of the children who were not deleted before.
 */
export async function eraseAccount(
  sql: Sql,
  { id, ...account }: Account,
  {
    keys,
    keyRing,
    origin,
  }: { keys: Keys; keyRing: KeyRing; origin: Parameters<typeof recordSecurityEvent>[1] },
): Promise<number[]> {
  const now = new Date()
  const children = sql.selectFrom('real_user').select('id').where('root_user_id', '=', id)
  // Lock the children in the same order as other transactions, and as `lockChild` does.
  const locked = await children.select('deleted_at').orderBy('id').forNoKeyUpdate().execute()
  // So are the memberships of and with others, which they may be ending at this moment.
  await sql
    .selectFrom('membership')
    .select('id')
    .where((row) => row.or([row('root_user_id', '=', id), row('real_user_id', 'in', children)]))
    .orderBy('id')
    .forUpdate()
    .execute()
  const childIds = locked.map((child) => child.id)
  // The devices after the children: connecting a device locks its child first, so no device can be added in between.
  await lockDevicesOfChildren(sql, childIds)
  // The connections after the devices, as uploads lock them; a clinic may be removed at this moment.
  await raw`
    SELECT FROM clinic_connection WHERE seen_by = ${id} OR real_user_id = ANY (${childIds}) ORDER BY id FOR NO KEY UPDATE`.execute(
    sql,
  )
  const nobody = { first_name: '', last_name: '', birthdate: '', gender: 'P' }
  await sql
    .updateTable('real_user')
    .set({ ...nobody, deleted_at: now })
    .where('root_user_id', '=', id)
    .execute()
  await disconnectDevices(sql).where('real_user_id', 'in', children).execute()
  // Deleted here because a hash of it is kept. A trigger deletes the data of which nothing is kept.
  const identity = await sql
    .deleteFrom('social_identity')
    .where('root_user_id', '=', id)
    .returning(['issuer', 'subject'])
    .executeTakeFirst()
  await recordSecurityEvent(sql, origin, { action: 'account_delete', rootUserId: id })
  await sql
    .updateTable('root_user')
    .set({
      ...nobody,
      ...emailColumns(keyRing, null),
      ...phoneColumns(keyRing, null),
      password_hash: null,
      // A contact address reserves nothing, also after the deletion.
      deleted_email_hash: account.is_contact_email
        ? null
        : keyRing.index('email', keyRing.decrypt('root_user.email', account.email)),
      deleted_identity_hash: identity ? keys.hash('identity', identityHashInput(identity)) : null,
      deleted_phone_hash: keyRing.index('phone', keyRing.decrypt('root_user.phone', account.phone)),
      token_epoch: account.token_epoch + 1,
      deleted_at: now,
    })
    .where('id', '=', id)
    .execute()
  return locked.filter(({ deleted_at }) => deleted_at === null).map(({ id: child }) => child)
}
