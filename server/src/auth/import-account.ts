import { z } from 'zod'
import type { Database } from '../database/database.ts'
import type { Context } from '../http/context.ts'
import { birthdateField, countryCodeField, lineField, nameField } from '../http/fields.ts'
import type { Operator } from '../trail/operator.ts'
import { recordConsents } from './consents.ts'
import { isEmail } from './email-address/email-address.ts'
import { isPhoneNumber } from './phone/phone-number.ts'
import { recordSecurityEvent } from './security-record.ts'
import { wasDeleted } from './tombstone.ts'
import { encryptPerson } from '../encryption/person.ts'
import { emailColumns, emailConditionSql, phoneColumns } from '../encrypted-columns/lookup.ts'

/** An account as another system knew it: at least its e-mail. */
export const importedAccountInput = z.object({
  email: z.string().refine(isEmail, { error: 'must be an e-mail address' }),
  phone: z
    .string()
    .refine(isPhoneNumber, { error: 'must be a phone number in its E.164 spelling, such as +821012345678' })
    .optional(),
  first_name: nameField.optional(),
  last_name: lineField({ most: 100 }).optional(),
  birthdate: birthdateField.optional(),
  gender: z.enum(['M', 'F', 'N', 'P']).optional(),
  national_code: countryCodeField.optional(),
})

export type ImportedAccount = z.infer<typeof importedAccountInput>

export type ImportOutcome = 'added' | 'existing' | 'conflict' | 'deleted'

/**
 * Adds an account that nobody can sign in to yet. With all fields it only waits for its phone to be verified, and its
 * password comes by the reset mail; with some missing, its sign-up is not completed. Signing up with the same phone, or
 * with the same e-mail where no phone is known, completes either. Safe to repeat; one that was deleted is not brought
 * back.
 */
export function importAccount(
  { transaction, keyRing }: Pick<Database, 'transaction' | 'keyRing'>,
  ctx: Pick<Context, 'keys' | 'tombstoneDays'> & { operator: Operator },
  { email, phone, ...profile }: ImportedAccount,
): Promise<ImportOutcome> {
  const isComplete =
    phone !== undefined &&
    profile.first_name !== undefined &&
    profile.birthdate !== undefined &&
    profile.gender !== undefined &&
    profile.national_code !== undefined
  const { operator } = ctx
  return transaction(async (sql) => {
    if (await wasDeleted(sql, ctx, 'email', email.toLowerCase())) return 'deleted'
    if (phone !== undefined && (await wasDeleted(sql, ctx, 'phone', phone))) return 'deleted'
    const account = await sql
      .insertInto('root_user')
      .values({
        ...emailColumns(keyRing, email),
        ...phoneColumns(keyRing, phone ?? null),
        ...encryptPerson(keyRing, 'root_user', {
          first_name: profile.first_name ?? '',
          last_name: profile.last_name ?? '',
          birthdate: profile.birthdate ?? '',
        }),
        gender: profile.gender ?? 'P',
        national_code: profile.national_code ?? '',
        register_type: 'E',
        is_signup_completed: isComplete,
        is_phone_number_checked: false,
        need_personal_info_update: true,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst()
    if (account) {
      await recordConsents(sql, account.id, { is_push_agree: false, is_marketing_agree: false }, 'import')
      await recordSecurityEvent(sql, operator, { action: 'account_import', rootUserId: account.id })
      return 'added'
    }
    const same = await sql
      .selectFrom('root_user')
      .select('phone')
      .where(emailConditionSql(keyRing, email))
      .executeTakeFirst()
    return same ? 'existing' : 'conflict'
  })
}
