import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { recordConsents } from '../auth/consents.ts'
import { recordSecurityEvent } from '../auth/security-record.ts'
import { booleanField } from '../http/fields.ts'
import { isPushToken, storePushToken } from './push-token.ts'

const date = z
  .string()
  .nullable()
  .meta({ format: 'date-time', description: 'ISO 8601 in UTC; null before the first agreement' })

export const updatePolicy = accountEndpoint(
  {
    method: 'PATCH',
    path: '/api/v1/beta/user/policy',
    right: 'self',
    summary: 'Give or withdraw consent to push messages and marketing',
    description: `Agreeing to push needs a push token: one stored before, or \`push_token\`. A date changes only when its consent does.
Withdrawing keeps the stored token, unused, for the next agreement.`,
  },
  [
    [404, 'User not found', 'a parallel call has ended the account or its session'],
    [404, 'User policy not found', 'no consent was ever recorded for the account'],
    [409, 'User policy update failed', 'there is no push token, or `push_token` is malformed'],
  ],
)
  .input(
    z.object({
      is_push_agree: booleanField.optional().meta({ description: 'Consent to push messages' }),
      is_marketing_agree: booleanField.optional().meta({ description: 'Consent to marketing' }),
      push_token: z.string().optional().meta({ description: 'Stored when `is_push_agree` is true' }),
    }),
  )
  .output(
    z
      .object({
        is_push_agree: z.boolean().meta({ description: 'Consent to push messages' }),
        is_marketing_agree: z.boolean().meta({ description: 'Consent to marketing' }),
        push_agree_date: date,
        marketing_agree_date: date,
      })
      .meta({ id: 'Consents', description: 'The consents in force' }),
  )
  .mutation(async ({ ctx, input: { push_token, ...consents } }) =>
    ctx.database.transaction(async (sql) => {
      const { rootUserId } = ctx.caller
      const account = await sql
        .selectFrom('root_user')
        .select('id')
        .where('id', '=', rootUserId)
        .where('token_epoch', '=', ctx.caller.epoch)
        .where('deleted_at', 'is', null)
        .forNoKeyUpdate()
        .executeTakeFirst()
      if (!account) throw ctx.failure(404, 'User not found')
      const policy = sql.selectFrom('policy').selectAll().where('root_user_id', '=', rootUserId)
      if (!(await policy.executeTakeFirst())) throw ctx.failure(404, 'User policy not found')
      if (consents.is_push_agree === true) {
        if (push_token !== undefined) {
          if (!isPushToken(push_token)) throw ctx.failure(409, 'User policy update failed')
          await storePushToken(sql, ctx.database.keyRing, rootUserId, push_token)
        }
        const reached = await sql
          .selectFrom('push_token')
          .select('root_user_id')
          .where('root_user_id', '=', rootUserId)
          .executeTakeFirst()
        if (!reached) throw ctx.failure(409, 'User policy update failed')
      }
      const changed = await recordConsents(sql, rootUserId, consents, 'settings')
      if (changed.length > 0)
        await recordSecurityEvent(sql, ctx, { action: 'consent_change', rootUserId, reason: changed.join() })
      const { is_push_agree, is_marketing_agree, ...dates } = await policy.executeTakeFirstOrThrow()
      return {
        // Never null, which no column of a view can say.
        is_push_agree: is_push_agree === true,
        is_marketing_agree: is_marketing_agree === true,
        push_agree_date: dates.push_agree_date?.toISOString() ?? null,
        marketing_agree_date: dates.marketing_agree_date?.toISOString() ?? null,
      }
    }),
  )
