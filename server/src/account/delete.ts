import { accountEndpoint } from '../auth/account-endpoint.ts'
import { notifyAccountHolder } from '../auth/notice.ts'
import { Failure } from '../errors/failure.ts'
import { accountErrors } from '../errors/generic.ts'
import { messageResponseSchema, noFieldsSchema } from '../http/fields.ts'
import { eraseAccount } from './erase-account.ts'

export const deleteAccount = accountEndpoint(
  {
    method: 'DELETE',
    path: '/api/v1/beta/user/root-user',
    right: 'self',
    summary: 'Delete the account, its children and everything known about them',
    description: `Personal data is erased at once, and devices are disconnected. E-mail and phone stay taken for a year; only keyed hashes
of them are kept. The holder gets a mail at that address; so does everybody who loses access to a child by this.`,
  },
  [[404, 'Sign in type is not found', 'a parallel call has deleted the account']],
)
  .input(noFieldsSchema)
  .output(messageResponseSchema)
  .mutation(async ({ ctx }) => {
    const { database, caller, keys, failure } = ctx
    const deleted = await database.transaction(async (sql) => {
      const account = await sql
        .selectFrom('root_user')
        .select([
          'email',
          'is_contact_email',
          'phone',
          'register_type',
          'token_epoch',
          'language',
          'national_code',
        ])
        .where('id', '=', caller.rootUserId)
        .where('deleted_at', 'is', null)
        .forUpdate()
        .executeTakeFirst()
      // It was there when the token was checked: a parallel call has deleted it.
      if (!account) throw new Failure(...accountErrors[1])
      if (!['E', 'S'].includes(account.register_type)) throw failure(404, 'Sign in type is not found')
      const erased = await eraseAccount(
        sql,
        { id: caller.rootUserId, ...account },
        { keys, keyRing: database.keyRing, origin: ctx },
      )
      for (const child of erased) ctx.touches(child)
      return { ...account, phone: null }
    })
    await notifyAccountHolder(ctx, 'account_deleted', deleted)
    return { statusCode: 200 as const, message: 'Root user deleted' }
  })
