import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { isPushToken, storePushToken } from './push-token.ts'

export const setPushToken = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/user/push/set-token',
    right: 'self',
    summary: 'Say where push messages reach this account',
    description: `Ask for consent to push first. A token belongs to one account at a time: setting it here takes it from any other. The
\`data\` of a message holds \`alert_id\`, \`kind\` (\`device_contact\` or \`basestation_environment\`) and the ids it is about; a
message with a known \`alert_id\` is a repetition.`,
  },
  [
    [400, 'Push permisson denied', 'the account has not agreed to push'],
    [409, 'User push token update failed', 'the token is malformed'],
  ],
)
  .input(
    z.object({ token: z.string().meta({ description: '16 to 4,096 printable characters without spaces' }) }),
  )
  .output(z.string().meta({ description: 'What was done, in English', examples: ['Push token updated'] }))
  .mutation(async ({ ctx, input: { token } }) =>
    ctx.database.transaction(async (sql) => {
      const { rootUserId } = ctx.caller
      // The lock orders this before or after a concurrent withdrawal of consent, sign-out or deletion.
      const account = await sql
        .selectFrom('root_user')
        .innerJoin('policy', 'policy.root_user_id', 'root_user.id')
        .select('is_push_agree')
        .where('root_user.id', '=', rootUserId)
        .where('token_epoch', '=', ctx.caller.epoch)
        .forNoKeyUpdate('root_user')
        .executeTakeFirst()
      if (!account?.is_push_agree) throw ctx.failure(400, 'Push permisson denied')
      if (!isPushToken(token)) throw ctx.failure(409, 'User push token update failed')
      await storePushToken(sql, ctx.database.keyRing, rootUserId, token)
      return 'Push token updated'
    }),
  )
