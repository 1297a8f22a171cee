import { sql as raw } from 'kysely'
import { z } from 'zod'
import type { Database, Sql } from '../database/database.ts'
import { isValueRejectedByDatabase, isUniqueViolation } from '../database/sql-errors.ts'
import { Failure } from '../errors/failure.ts'
import type { ErrorDeclaration } from '../errors/failure.ts'
import type { Context } from '../http/context.ts'
import { birthdateField, countryCodeField, booleanField, lineField, nameField } from '../http/fields.ts'
import { bearerToken } from '../http/request.ts'
import { recordConsents } from './consents.ts'
import { assertPhoneNumber, phoneInput, phoneInvalid } from './phone/phone-number.ts'
import { recordSecurityEvent } from './security-record.ts'
import { startSession } from './tokens/session.ts'
import { useToken } from './tokens/use-token.ts'
import { addKnownIpAddress } from './password/known-ip-address.ts'
import { isEmail } from './email-address/email-address.ts'
import { findAccountByEmail, mailFirstConfirmation } from './email-address/email-confirmation.ts'
import type { Identity, VerifiedIdentity } from './social/social-provider.ts'
import { wasDeleted } from './tombstone.ts'
import { encryptPerson } from '../encryption/person.ts'
import {
  emailColumns,
  emailConditionSql,
  phoneConditionSql,
  phoneColumns,
} from '../encrypted-columns/lookup.ts'
import type { KeyRing } from '../encryption/key-ring.ts'

/** How every way of signing up may fail. */
export const signUpErrors = [
  phoneInvalid,
  [400, 'Email is not valid', 'it is not an e-mail address'],
  [401, 'Token is invalid', 'the `valid_token` is expired, used or of another phone; verify the phone again'],
  [409, 'Same email is already registered', 'an account has this e-mail, or a deleted one had it'],
  [500, 'Failed to sign up user', 'the database refused the account'],
] as const satisfies readonly ErrorDeclaration[]

const [, emailNotValid, tokenInvalid, emailTaken, signUpFailed] = signUpErrors

/** The fields that every way of signing up asks for. */
export const newAccountInput = z.object({
  // Judged by `createAccount`: the contract's text wins over a validation error.
  email: z.string().meta({ examples: ['parent@example.com'] }),
  first_name: nameField.meta({ description: 'The full name' }),
  last_name: lineField({ most: 100 }).meta({ deprecated: true, description: 'Send an empty string.' }),
  birthdate: birthdateField,
  gender: z.enum(['M', 'F', 'P']).meta({ description: '`M`: male, `F`: female, `P`: prefers not to say' }),
  phone: phoneInput,
  register_type: z.enum(['E', 'S']).meta({ description: '`E`: by e-mail, `S`: by a social provider' }),
  is_push_agree: booleanField.meta({ description: 'Consent to push messages' }),
  is_marketing_agree: booleanField.meta({ description: 'Consent to marketing' }),
  national_code: countryCodeField,
})

type NewAccount = z.infer<typeof newAccountInput>

interface VerifiedPhone {
  phone: string
  tokenId: string
  expiresAt: Date
}

/** The phone that the caller has verified, from the `valid_token` in the Authorization header. */
export async function requireVerifiedPhone({ request, tokens }: Context): Promise<VerifiedPhone> {
  const token = bearerToken(request)
  const verified = token === undefined ? undefined : await tokens.verifyValid(token)
  if (!verified) throw new Failure(...tokenInvalid)
  return verified
}

/** Throws unless the phone is the one that was verified and the e-mail is an address; before any password is hashed. */
export function assertSignUpInput(verified: VerifiedPhone, { phone, email }: NewAccount): void {
  assertPhoneNumber(phone)
  if (verified.phone !== phone) throw new Failure(...tokenInvalid)
  if (!isEmail(email)) throw new Failure(...emailNotValid)
}

/** The account holder's means to sign in. */
type Credential =
  | { action: 'sign_up'; password_hash: string }
  | { action: 'social_sign_up'; identity: VerifiedIdentity; provider: string }

/** Makes the account, or completes the one that an operator has imported, uses the token up and starts the session. */
export async function createAccount(
  ctx: Context & { database: Database },
  verified: VerifiedPhone,
  { is_push_agree, is_marketing_agree, ...profile }: NewAccount,
  credential: Credential,
) {
  const { keyRing } = ctx.database
  const isSocial = credential.action === 'social_sign_up'
  const isProven = isSocial && credential.identity.email?.toLowerCase() === profile.email.toLowerCase()
  // Anybody may name any address beside an ID token: what the provider has not verified reserves nothing.
  const isContact = isSocial && !isProven
  const made = await ctx.database
    .transaction(async (sql) => {
      if (!(await useToken(sql, verified))) throw new Failure(...tokenInvalid)
      const values = {
        ...encryptPerson(keyRing, 'root_user', profile),
        ...emailColumns(keyRing, profile.email, isContact),
        email_confirmed_at: isProven ? new Date() : null,
        ...phoneColumns(keyRing, profile.phone),
        password_hash: credential.action === 'sign_up' ? credential.password_hash : null,
        password_changed_at: credential.action === 'sign_up' ? new Date() : null,
        is_phone_number_checked: true,
        is_signup_completed: true,
        need_personal_info_update: false,
      }
      const account =
        (await completeImported(sql, keyRing, profile, values)) ??
        (await insertAccount(sql, keyRing, profile, values))
      if (!account) throw new Failure(...(await takenBy(sql, keyRing, profile.phone)))
      // Asked after the insert, which waits for a deletion that frees the e-mail or phone at this moment.
      if (await wasDeleted(sql, ctx, 'phone', profile.phone)) throw new Failure(...tokenInvalid)
      if (await wasDeleted(sql, ctx, 'email', profile.email.toLowerCase())) throw new Failure(...emailTaken)
      if (credential.action === 'social_sign_up') await addIdentity(sql, ctx, account.id, credential)
      await recordConsents(sql, account.id, { is_push_agree, is_marketing_agree }, 'sign-up')
      await addKnownIpAddress(sql, ctx, account.id)
      await recordSecurityEvent(sql, ctx, {
        action: credential.action,
        rootUserId: account.id,
        phone: profile.phone,
      })
      return { id: account.id, ...(await startSession(sql, ctx.tokens, account)) }
    })
    .catch(async (error: unknown) => {
      if (!isValueRejectedByDatabase(error)) throw error
      // Completing an account found the phone or e-mail taken in this very moment.
      if (isUniqueViolation(error))
        throw new Failure(...(await takenBy(ctx.database.sql, keyRing, profile.phone)))
      ctx.log.error({ err: error, request_id: ctx.request.id }, 'sign-up failed')
      throw new Failure(...signUpFailed)
    })
  await mailFirstConfirmation(ctx, made.id)
  return { ...made, token_type: 'bearer' as const }
}

async function insertAccount(
  sql: Sql,
  keyRing: KeyRing,
  { email }: Pick<NewAccount, 'email'>,
  values: AccountValues,
) {
  // A contact address, which no index reserves, is refused like any other where somebody has it.
  if (values.is_contact_email && (await findAccountByEmail(sql, keyRing, email)))
    throw new Failure(...emailTaken)
  return sql
    .insertInto('root_user')
    .values(values)
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'token_epoch'])
    .executeTakeFirst()
}

type AccountValues = Omit<NewAccount, 'is_push_agree' | 'is_marketing_agree' | 'email' | 'phone'> & {
  email: string | null
  email_hash: Buffer | null
  is_contact_email: boolean
  email_confirmed_at: Date | null
  phone: string | null
  phone_hash: Buffer | null
  password_hash: string | null
  password_changed_at: Date | null
  is_phone_number_checked: boolean
  is_signup_completed: boolean
  need_personal_info_update: boolean
}

/**
 * Completes an imported account that nobody has taken yet. It belongs to the person who holds its phone, or to the person who knows its
 * e-mail only when no phone was imported. Undefined when there is none.
 */
async function completeImported(
  sql: Sql,
  keyRing: KeyRing,
  { email, phone }: Pick<NewAccount, 'email' | 'phone'>,
  values: AccountValues,
) {
  const imported = await sql
    .selectFrom('root_user')
    .select('id')
    .where((row) =>
      row.or([
        row('is_signup_completed', '=', false),
        row.and([row('password_hash', 'is', null), row('register_type', '=', 'E')]),
      ]),
    )
    .where(raw<boolean>`is_active_account(root_user)`)
    .where((row) =>
      row.or([
        phoneConditionSql(keyRing, phone),
        // Nobody takes an account over by an address that is not theirs.
        ...(values.is_contact_email
          ? []
          : [row.and([row('phone', 'is', null), emailConditionSql(keyRing, email)])]),
      ]),
    )
    .orderBy('phone', (order) => order.asc().nullsLast())
    .forUpdate()
    .executeTakeFirst()
  if (!imported) return undefined
  if (await findAccountByEmail(sql, keyRing, email, imported.id)) throw new Failure(...emailTaken)
  return sql
    .updateTable('root_user')
    .set(values)
    .where('id', '=', imported.id)
    .returning(['id', 'token_epoch'])
    .executeTakeFirst()
}

/** The part that is taken: another sign-up may hold the phone, and then this token has lost its right. */
async function takenBy(sql: Sql, keyRing: KeyRing, phone: string): Promise<ErrorDeclaration> {
  const holder = await sql
    .selectFrom('root_user')
    .select('id')
    .where(phoneConditionSql(keyRing, phone))
    .executeTakeFirst()
  return holder ? tokenInvalid : emailTaken
}

async function addIdentity(
  sql: Sql,
  ctx: Context,
  rootUserId: number,
  { identity, provider }: { identity: Identity; provider: string },
): Promise<void> {
  const added = await sql
    .insertInto('social_identity')
    .values({ issuer: identity.issuer, subject: identity.subject, root_user_id: rootUserId, provider })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .executeTakeFirst()
  const isKnown = added.numInsertedOrUpdatedRows === 0n
  if (isKnown || (await wasDeleted(sql, ctx, 'identity', identityHashInput(identity))))
    throw new Failure(...emailTaken)
}

/** An identity as one text, to be hashed. */
export const identityHashInput = ({ issuer, subject }: Identity) => `${issuer} ${subject}`
