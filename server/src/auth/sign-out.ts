import { messageResponseSchema, noFieldsSchema } from '../http/fields.ts'
import { accountEndpoint } from './account-endpoint.ts'
import { recordSecurityEvent } from './security-record.ts'
import { endSessions } from './tokens/session.ts'

export const signOut = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/signout',
    right: 'self',
    accounts: 'all',
    summary: 'Sign out',
    description: 'Ends the session and every access token issued before, and forgets the push token.',
  },
  [],
)
  .input(noFieldsSchema)
  .output(messageResponseSchema)
  .mutation(async ({ ctx }) => {
    const { rootUserId } = ctx.caller
    await ctx.database.transaction(async (sql) => {
      await endSessions(sql, rootUserId)
      await sql.deleteFrom('push_token').where('root_user_id', '=', rootUserId).execute()
      await recordSecurityEvent(sql, ctx, { action: 'sign_out', rootUserId })
    })
    return { statusCode: 200 as const, message: 'Signed out' }
  })
