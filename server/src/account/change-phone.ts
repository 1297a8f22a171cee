import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { limitFailedGuesses } from '../auth/count-failures.ts'
import { isCurrentPassword } from '../auth/password/current-password.ts'
import { notifyAccountHolder } from '../auth/notice.ts'
import { assertPhoneNumber, phoneInput, phoneInvalid } from '../auth/phone/phone-number.ts'
import { recordSecurityEvent, recordErrorsOfOperation } from '../auth/security-record.ts'
import { verifySmsCode, codeErrors, consumeSmsCode } from '../auth/phone/sms-code.ts'
import { wasDeleted } from '../auth/tombstone.ts'
import type { Database } from '../database/database.ts'
import { isUniqueViolation } from '../database/sql-errors.ts'
import { Failure } from '../errors/failure.ts'
import { accountErrors } from '../errors/generic.ts'
import type { Context } from '../http/context.ts'
import { messageResponseSchema, textField } from '../http/fields.ts'
import { InvalidInput } from '../http/validation-issues.ts'
import { phoneColumns } from '../encrypted-columns/lookup.ts'

declare module '../http/context.ts' {
  interface Context {
    /** Whether a change of the phone number asks for the password. */
    phoneChangePassword: 'off' | 'required'
  }
}

export const changePhone = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/user/change-phone',
    right: 'self',
    summary: 'Change the phone number',
    description: `Call \`POST /api/v1/alpha/auth/send-sms-auth\` for the new number first. The account's e-mail and its old
number get a notice.`,
  },
  [
    phoneInvalid,
    [400, 'Password is invalid', 'the service asks for the password, and `current_password` is wrong'],
    ...codeErrors,
    [403, 'User previously deleted', 'a deleted account had this number'],
    [409, 'Phone number is already registered', 'another account has this number'],
  ],
)
  .use(recordErrorsOfOperation('phone_change'))
  .input(
    z
      .object({
        phone: phoneInput,
        validnum: textField()
          .optional()
          .meta({
            description: 'The 6-digit code; without it, the code counts as invalid',
            examples: ['012345'],
          }),
        current_password: textField({ most: 1000 })
          .optional()
          .meta({ format: 'password', description: 'Required where the service asks for it' }),
      })
      .meta({ examples: [{ phone: '+821012345678', validnum: '012345' }] }),
  )
  .output(messageResponseSchema)
  .use(limitFailedGuesses)
  .mutation(async ({ ctx, input: { phone, validnum, current_password } }) => {
    const { rootUserId } = ctx.caller
    ctx.concerns(rootUserId)
    assertPhoneNumber(phone)
    if (ctx.phoneChangePassword === 'required' && !(await isHolder(ctx, rootUserId, current_password))) {
      throw ctx.failure(400, 'Password is invalid')
    }
    const verdict = validnum === undefined ? 'invalid' : await verifySmsCode(ctx, phone, validnum)
    if (verdict === 'expired') throw ctx.failure(400, 'Validation code is expired')
    if (verdict === 'invalid' || validnum === undefined) throw ctx.failure(400, 'Validation code is invalid')
    const { keyRing } = ctx.database
    const before = await ctx.database
      .transaction(async (sql) => {
        if (!(await consumeSmsCode(sql, ctx, phone, validnum)))
          throw ctx.failure(400, 'Validation code is invalid')
        if (await wasDeleted(sql, ctx, 'phone', phone)) throw ctx.failure(403, 'User previously deleted')
        const account = await sql
          .selectFrom('root_user')
          .select(['email', 'phone', 'language', 'national_code'])
          .where('id', '=', rootUserId)
          .where('deleted_at', 'is', null)
          .forUpdate()
          .executeTakeFirst()
        // It was there when the token was checked: a parallel call has deleted it.
        if (!account) throw new Failure(...accountErrors[1])
        await sql
          .updateTable('root_user')
          .set({ ...phoneColumns(keyRing, phone), is_phone_number_checked: true })
          .where('id', '=', rootUserId)
          .execute()
        await recordSecurityEvent(sql, ctx, { action: 'phone_change', rootUserId, phone })
        return account
      })
      .catch((error: unknown) => {
        throw isUniqueViolation(error) ? ctx.failure(409, 'Phone number is already registered') : error
      })
    if (keyRing.decrypt('root_user.phone', before.phone) !== phone)
      await notifyAccountHolder(ctx, 'phone_changed', before)
    return { statusCode: 200 as const, message: 'Phone number updated' }
  })

/** Whether `password` is that of the account. One without a password, a social one, has none to ask for. */
async function isHolder(
  ctx: Context & { database: Database },
  rootUserId: number,
  password: string | undefined,
): Promise<boolean> {
  const account = await ctx.database.sql
    .selectFrom('root_user')
    .select(['id', 'password_hash'])
    .where('id', '=', rootUserId)
    .executeTakeFirst()
  if (!account?.password_hash) return true
  if (password === undefined) throw new InvalidInput(['current_password'], 'is required')
  return isCurrentPassword(ctx, account, password)
}
