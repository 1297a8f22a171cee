import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { isCurrentPassword } from '../auth/password/current-password.ts'
import { notifyAccountHolder } from '../auth/notice.ts'
import { resetUnknownIpFailures } from '../auth/password/password-attempts.ts'
import { hashPassword, newPasswordSchema } from '../auth/password/passwords.ts'
import { invalidateResetTokens } from '../auth/password/reset-token.ts'
import { recordSecurityEvent, recordErrorsOfOperation } from '../auth/security-record.ts'
import { startSession } from '../auth/tokens/session.ts'
import { sessionResponseSchema } from '../auth/tokens/token-response.ts'
import { textField } from '../http/fields.ts'

export const changePassword = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/user/change-password',
    repeat: 'none',
    right: 'self',
    summary: 'Change the password',
    description:
      'The response holds a new pair of tokens, so that the caller stays signed in. Every older token is void, and so is every mailed link for a new password.',
  },
  [
    [400, 'Password is invalid', '`current_password` is wrong, or the account has none'],
    [429, 'Too many requests', '10 wrong passwords within 15 minutes'],
  ],
)
  .use(recordErrorsOfOperation('password_change'))
  .input(
    z.object({
      current_password: textField({ most: 1000 }).meta({ format: 'password' }),
      new_password: newPasswordSchema,
    }),
  )
  .output(sessionResponseSchema)
  .mutation(async ({ ctx, input: { current_password, new_password } }) => {
    const { rootUserId } = ctx.caller
    ctx.concerns(rootUserId)
    const account = await ctx.database.sql
      .selectFrom('root_user')
      .select(['id', 'password_hash', 'email', 'language', 'national_code'])
      .where('id', '=', rootUserId)
      .executeTakeFirst()
    if (!account || !(await isCurrentPassword(ctx, account, current_password))) {
      throw ctx.failure(400, 'Password is invalid')
    }
    const password_hash = await hashPassword(new_password, ctx.passwordHashing)
    const pair = await ctx.database.transaction(async (sql) => {
      const now = new Date()
      const changed = await sql
        .updateTable('root_user')
        .set((column) => ({
          password_hash,
          password_changed_at: now,
          token_epoch: column('token_epoch', '+', 1),
        }))
        .where('id', '=', rootUserId)
        .where('password_hash', '=', account.password_hash)
        .where('blocked_at', 'is', null)
        .returning(['id', 'token_epoch'])
        .executeTakeFirst()
      if (!changed) throw ctx.failure(400, 'Password is invalid')
      await invalidateResetTokens(sql, rootUserId)
      await resetUnknownIpFailures(sql, rootUserId)
      await recordSecurityEvent(sql, ctx, { action: 'password_change', rootUserId })
      return startSession(sql, ctx.tokens, changed)
    })
    await notifyAccountHolder(ctx, 'password_changed', account)
    return { ...pair, token_type: 'bearer' as const, id: rootUserId }
  })
