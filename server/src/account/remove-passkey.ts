import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { recordSecurityEvent } from '../auth/security-record.ts'
import { idField, messageResponseSchema } from '../http/fields.ts'

export const removePasskey = accountEndpoint(
  {
    method: 'DELETE',
    path: '/api/v1/beta/user/passkey/{passkey_id}',
    right: 'self',
    accounts: 'clinicians',
    summary: 'Remove a passkey',
    description: 'Nobody signs in by it any more. The session stays.',
  },
  [
    [404, 'Passkey not found', 'the account has no such passkey'],
    [409, 'Last passkey', 'it is the only one of the account'],
  ],
)
  .input(z.object({ passkey_id: idField }))
  .output(messageResponseSchema)
  .mutation(async ({ ctx, input: { passkey_id } }) => {
    const { rootUserId } = ctx.caller
    await ctx.database.transaction(async (tx) => {
      // Of calls at once each sees what the one before has left.
      await tx.selectFrom('root_user').select('id').where('id', '=', rootUserId).forNoKeyUpdate().execute()
      const passkeys = await tx
        .selectFrom('passkey')
        .select('id')
        .where('root_user_id', '=', rootUserId)
        .execute()
      if (!passkeys.some(({ id }) => id === passkey_id)) throw ctx.failure(404, 'Passkey not found')
      if (passkeys.length === 1) throw ctx.failure(409, 'Last passkey')
      await tx.deleteFrom('passkey').where('id', '=', passkey_id).execute()
      await recordSecurityEvent(tx, ctx, {
        action: 'passkey_remove',
        rootUserId,
        reason: `passkey ${passkey_id}`,
      })
    })
    return { statusCode: 200 as const, message: 'Passkey removed' }
  })
