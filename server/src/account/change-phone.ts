import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { countFailures } from '../auth/count-failures.ts'
import { record, recordRefusals } from '../auth/security-record.ts'
import { checkSmsCode, codeErrors, useSmsCode } from '../auth/sms-code.ts'
import { wasDeleted } from '../auth/tombstone.ts'
import { isTaken } from '../database/refusal.ts'
import { Failure } from '../errors/failure.ts'
import { accountErrors } from '../errors/generic.ts'
import { message, phone, text } from '../http/fields.ts'

export const changePhone = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/user/change-phone',
    summary: 'Change the phone number',
    description: 'Call `POST /api/v1/alpha/auth/send-sms-auth` for the new number first.',
  },
  [
    ...codeErrors,
    [403, 'User previously deleted', 'a deleted account had this number'],
    [409, 'Phone number is already registered', 'another account has this number'],
  ],
)
  .use(recordRefusals('phone_change'))
  .input(
    z.object({
      phone,
      validnum: text()
        .optional()
        .meta({
          description: 'The 6-digit code; without it, the code counts as invalid',
          examples: ['012345'],
        }),
    }),
  )
  .output(message)
  .use(countFailures)
  .mutation(async ({ ctx, input: { phone, validnum } }) => {
    const { rootUserId } = ctx.caller
    ctx.concerns(rootUserId)
    const verdict = validnum === undefined ? 'invalid' : await checkSmsCode(ctx, phone, validnum)
    if (verdict === 'expired') throw ctx.failure(400, 'Validation code is expired')
    if (verdict === 'invalid' || validnum === undefined) throw ctx.failure(400, 'Validation code is invalid')
    await ctx.database
      .transaction(async (sql) => {
        if (!(await useSmsCode(sql, ctx, phone, validnum)))
          throw ctx.failure(400, 'Validation code is invalid')
        if (await wasDeleted(sql, ctx, 'phone', phone)) throw ctx.failure(403, 'User previously deleted')
        const { numUpdatedRows } = await sql
          .updateTable('root_user')
          .set({ phone, is_phone_number_checked: true })
          .where('id', '=', rootUserId)
          .where('deleted_at', 'is', null)
          .executeTakeFirst()
        if (numUpdatedRows === 0n) throw new Failure(...accountErrors[1])
        await record(sql, ctx, { action: 'phone_change', rootUserId })
      })
      .catch((error: unknown) => {
        throw isTaken(error) ? ctx.failure(409, 'Phone number is already registered') : error
      })
    return { statusCode: 200 as const, message: 'Phone number updated' }
  })
