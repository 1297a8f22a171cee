import type { Sql } from '../database/database.ts'
import { Failure } from '../errors/failure.ts'
import type { ErrorDeclaration } from '../errors/failure.ts'
import type { Context } from '../http/context.ts'
import { addKnownIpAddress } from './password/known-ip-address.ts'
import { recordSecurityEvent } from './security-record.ts'
import { CLINICIAN_ACCOUNT_TYPE, startSession } from './tokens/session.ts'

/** The states of an account that keep its holder out, however they prove who they are. */
export const stateErrors = [
  [401, 'Sign-up not completed', 'the account was imported, and fields are missing'],
  [403, 'SMS verification required', 'the account was imported, and its phone is not verified'],
  [410, 'User is Deleted', 'the account was deleted'],
  [423, 'Access denied. Account blocked', 'the operator has blocked the account'],
] as const satisfies readonly ErrorDeclaration[]

const [notCompleted, phoneNotVerified, deleted, blocked] = stateErrors

/** Asked of the locked row of an account: its password may have changed since it was compared. */
type AssertStill = (account: { password_hash: string | null }) => void

/**
 * Lets someone in who has proved to be the holder of the account, or throws for the state that keeps them out. Their address
 * is known from now on, and the security record tells of it.
 */
export async function checkAccountState(
  sql: Sql,
  ctx: Context,
  rootUserId: number,
  action: 'sign_in' | 'social_sign_in' | 'connect_sign_in' | 'passkey_sign_in',
  assertStill: AssertStill = () => undefined,
): Promise<{ id: number; token_epoch: number; register_type: string }> {
  // The lock holds off a block or deletion until the session is there for it to remove.
  const account = await sql
    .selectFrom('root_user')
    .select([
      'id',
      'token_epoch',
      'password_hash',
      'blocked_at',
      'deleted_at',
      'is_signup_completed',
      'is_phone_number_checked',
      'register_type',
    ])
    .where('id', '=', rootUserId)
    .forShare()
    .executeTakeFirst()
  if (!account || account.deleted_at) throw new Failure(...deleted)
  assertStill(account)
  if (account.blocked_at) throw new Failure(...blocked)
  if (!account.is_signup_completed) throw new Failure(...notCompleted)
  if (!account.is_phone_number_checked && account.register_type !== CLINICIAN_ACCOUNT_TYPE)
    throw new Failure(...phoneNotVerified)
  await addKnownIpAddress(sql, ctx, account.id)
  await recordSecurityEvent(sql, ctx, { action, rootUserId: account.id })
  return account
}

/** Lets the holder of an account in, as `checkAccountState` does, and starts their session. */
export async function startSessionIfAllowed(
  sql: Sql,
  ctx: Context,
  rootUserId: number,
  action: 'sign_in' | 'social_sign_in' | 'passkey_sign_in',
  assertStill?: AssertStill,
) {
  const account = await checkAccountState(sql, ctx, rootUserId, action, assertStill)
  return { ...(await startSession(sql, ctx.tokens, account)), token_type: 'bearer' as const, id: account.id }
}
