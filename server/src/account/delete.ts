import { accountEndpoint } from '../auth/account-endpoint.ts'
import { identityKey } from '../auth/new-account.ts'
import { record } from '../auth/security-record.ts'
import { disconnectDevices, lockDevices } from '../devices/pairing.ts'
import { Failure } from '../errors/failure.ts'
import { accountErrors } from '../errors/generic.ts'
import { message, noFields } from '../http/fields.ts'
import { emailColumns, phoneColumns } from '../database/lookup.ts'

export const deleteAccount = accountEndpoint(
  {
    method: 'DELETE',
    path: '/api/v1/beta/user/root-user',
    right: 'self',
    summary: 'Delete the account, its children and everything known about them',
    description: `Personal data is erased at once, and devices are disconnected. E-mail and phone stay taken for a year; only keyed hashes
of them are kept.`,
  },
  [[404, 'Sign in type is not found', 'a parallel call has deleted the account']],
)
  .input(noFields)
  .output(message)
  .mutation(async ({ ctx }) => {
    const { database, caller, keys, failure } = ctx
    const { keyRing } = database
    await database.transaction(async (sql) => {
      const account = await sql
        .selectFrom('root_user')
        .select(['email', 'phone', 'register_type', 'token_epoch'])
        .where('id', '=', caller.rootUserId)
        .where('deleted_at', 'is', null)
        .forUpdate()
        .executeTakeFirst()
      // It was there when the token was checked: a parallel call has deleted it.
      if (!account) throw new Failure(...accountErrors[1])
      if (!['E', 'S'].includes(account.register_type)) throw failure(404, 'Sign in type is not found')
      const now = new Date()
      const children = sql.selectFrom('real_user').select('id').where('root_user_id', '=', caller.rootUserId)
      // Lock the children in the same order as other transactions.
      await children.orderBy('id').forUpdate().execute()
      // So are the memberships of and with others, which they may be ending at this moment.
      await sql
        .selectFrom('membership')
        .select('id')
        .where((row) =>
          row.or([row('root_user_id', '=', caller.rootUserId), row('real_user_id', 'in', children)]),
        )
        .orderBy('id')
        .forUpdate()
        .execute()
      const nobody = { first_name: '', last_name: '', birthdate: '', gender: 'P' }
      await sql
        .updateTable('real_user')
        .set({ ...nobody, deleted_at: now })
        .where('root_user_id', '=', caller.rootUserId)
        .execute()
      // Lock the devices after the children: connecting a device locks its child first, so no device can be added in
      // between.
      await lockDevices(sql).where('real_user_id', 'in', children).execute()
      await disconnectDevices(sql).where('real_user_id', 'in', children).execute()
      // Deleted here because a hash of it is kept. A trigger deletes the data of which nothing is kept.
      const identity = await sql
        .deleteFrom('social_identity')
        .where('root_user_id', '=', caller.rootUserId)
        .returning(['issuer', 'subject'])
        .executeTakeFirst()
      await record(sql, ctx, { action: 'account_delete', rootUserId: caller.rootUserId })
      await sql
        .updateTable('root_user')
        .set({
          ...nobody,
          ...emailColumns(keyRing, null),
          ...phoneColumns(keyRing, null),
          password_hash: null,
          deleted_email_hash:
            account.email === null
              ? null
              : keyRing.index('email', keyRing.open('root_user.email', account.email)),
          deleted_identity_hash: identity ? keys.hash('identity', identityKey(identity)) : null,
          deleted_phone_hash:
            account.phone === null
              ? null
              : keyRing.index('phone', keyRing.open('root_user.phone', account.phone)),
          token_epoch: account.token_epoch + 1,
          deleted_at: now,
        })
        .where('id', '=', caller.rootUserId)
        .execute()
    })
    return { statusCode: 200 as const, message: 'Root user deleted' }
  })
