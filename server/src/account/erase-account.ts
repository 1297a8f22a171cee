import type { Keys } from '../auth/keys.ts'
import { identityKey } from '../auth/new-account.ts'
import { record } from '../auth/security-record.ts'
import type { Sql } from '../database/database.ts'
import { disconnectDevices, lockDevices } from '../devices/pairing.ts'

/** The account as it is, locked by the caller. */
interface Account {
  id: number
  email: string | null
  phone: string | null
  token_epoch: number
}

/** Erases an account, its children and all that is known about them; a trigger deletes the data of which nothing is kept. */
export async function eraseAccount(
  sql: Sql,
  { id, ...account }: Account,
  {
    keys,
    origin,
    touches,
  }: {
    keys: Keys
    origin: Parameters<typeof record>[1]
    /** Called with each child whose data is erased. */
    touches?: (realUserId: number) => void
  },
): Promise<void> {
  const now = new Date()
  const children = sql.selectFrom('real_user').select('id').where('root_user_id', '=', id)
  // Lock the children in the same order as other transactions.
  const locked = await children.select('deleted_at').orderBy('id').forUpdate().execute()
  for (const child of locked) if (child.deleted_at === null) touches?.(child.id)
  // So are the memberships of and with others, which they may be ending at this moment.
  await sql
    .selectFrom('membership')
    .select('id')
    .where((row) => row.or([row('root_user_id', '=', id), row('real_user_id', 'in', children)]))
    .orderBy('id')
    .forUpdate()
    .execute()
  const nobody = { first_name: '', last_name: '', birthdate: '', gender: 'P' }
  await sql
    .updateTable('real_user')
    .set({ ...nobody, deleted_at: now })
    .where('root_user_id', '=', id)
    .execute()
  // Lock the devices after the children: connecting a device locks its child first, so no device can be added in
  // between.
  await lockDevices(sql).where('real_user_id', 'in', children).execute()
  await disconnectDevices(sql).where('real_user_id', 'in', children).execute()
  // Deleted here because a hash of it is kept. A trigger deletes the data of which nothing is kept.
  const identity = await sql
    .deleteFrom('social_identity')
    .where('root_user_id', '=', id)
    .returning(['issuer', 'subject'])
    .executeTakeFirst()
  await record(sql, origin, { action: 'account_delete', rootUserId: id })
  await sql
    .updateTable('root_user')
    .set({
      ...nobody,
      email: null,
      phone: null,
      password_hash: null,
      deleted_email_hash: account.email === null ? null : keys.hash('email', account.email.toLowerCase()),
      deleted_identity_hash: identity ? keys.hash('identity', identityKey(identity)) : null,
      deleted_phone_hash: account.phone === null ? null : keys.hash('phone', account.phone),
      token_epoch: account.token_epoch + 1,
      deleted_at: now,
    })
    .where('id', '=', id)
    .execute()
}
