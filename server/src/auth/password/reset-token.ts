import { randomBytes } from 'node:crypto'
import type { Sql } from '../../database/database.ts'
import { Failure } from '../../errors/failure.ts'
import type { Context } from '../../http/context.ts'
import { startLimitedGuess } from '../count-failures.ts'
import { notifyAccountHolder } from '../notice.ts'
import { resetUnknownIpFailures } from './password-attempts.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { verifySmsCode, consumeSmsCode } from '../phone/sms-code.ts'
import { recordSecurityEvent } from '../security-record.ts'
import { endSessions } from '../tokens/session.ts'
import { tokenHash } from '../tokens/tokens.ts'

/** How long a link for a new password works. */
const LIFE_MS = 30 * 60_000
/** For how long the same form is answered as the first. */
const REPEAT_MS = 60_000

/** The path of the page that a reset link opens; the token is its query parameter `token`. */
export const RESET_PAGE = '/reset-password'

/** Makes a token that lets the reader of the account's mail choose a new password once. */
export async function issueResetToken({ database }: Context, rootUserId: number): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await database.sql
    .insertInto('reset_token')
    .values({
      token_hash: tokenHash(token),
      root_user_id: rootUserId,
      expires_at: new Date(Date.now() + LIFE_MS),
    })
    .execute()
  return token
}

/** Removes a token whose mail was not sent. */
export async function deleteUnsentResetToken({ database }: Context, token: string): Promise<void> {
  await database.sql.deleteFrom('reset_token').where('token_hash', '=', tokenHash(token)).execute()
}

/** Once the password is another, no mail sent before may change it. */
export async function invalidateResetTokens(sql: Sql, rootUserId: number): Promise<void> {
  await sql
    .updateTable('reset_token')
    .set({ used_at: new Date() })
    .where('root_user_id', '=', rootUserId)
    .where('used_at', 'is', null)
    .execute()
}

export type ResetTokenState = 'live' | 'used' | 'expired' | 'unknown'

/** The present use of a token. */
export async function resetTokenState({ database }: Context, token: string): Promise<ResetTokenState> {
  const found = await database.sql
    .selectFrom('reset_token')
    .select(['expires_at', 'used_at'])
    .where('token_hash', '=', tokenHash(token))
    .executeTakeFirst()
  if (!found) return 'unknown'
  if (found.used_at) return 'used'
  return found.expires_at.getTime() > Date.now() ? 'live' : 'expired'
}

/**
 * The phone number whose code a reset asks for beside the mail: of an account whose address nobody has proven yet, because the
 * mail may have gone to a stranger. Undefined when the mail is enough, also where the account has no phone that was verified.
 */
export async function findPhoneToVerifyForReset(
  { database }: Context,
  token: string,
): Promise<string | undefined> {
  const account = await database.sql
    .selectFrom('reset_token')
    .innerJoin('root_user', 'root_user.id', 'root_user_id')
    .select(['phone', 'email_confirmed_at', 'is_phone_number_checked'])
    .where('token_hash', '=', tokenHash(token))
    .executeTakeFirst()
  // Without a proven phone nobody gets into the account by a password alone.
  if (!account || account.email_confirmed_at || !account.is_phone_number_checked) return undefined
  return database.keyRing.decrypt('root_user.phone', account.phone) ?? undefined
}

/** What became of a reset: `token` and the codes say what was not good. Nothing is done then, and a live token stays so. */
export type ResetOutcome = 'done' | 'token' | 'code invalid' | 'code expired'

/**
 * Gives the token's account a new password, uses up every token it has, and ends its session. It proves the mailbox too. Asks
 * for the code of the account's phone while its address is not proven. Of several calls at once one succeeds.
 */
export async function resetPassword(
  ctx: Context,
  { token, password, validnum }: { token: string; password: string; validnum?: string | undefined },
): Promise<ResetOutcome> {
  // Asked first, because hashing is expensive and anybody may call.
  const state = await resetTokenState(ctx, token)
  if (state === 'live') {
    const phone = await findPhoneToVerifyForReset(ctx, token)
    if (phone !== undefined) {
      const verdict =
        validnum === undefined
          ? 'invalid'
          : await verifySmsCode({ ...ctx, concernsPhone: () => undefined }, phone, validnum)
      if (verdict !== 'right') {
        await ctx.errorCounts.count(ctx, { action: 'password_reset_refused', reason: `${verdict} code` })
        return `code ${verdict}`
      }
    }
    const code = phone !== undefined && validnum !== undefined ? { phone, validnum } : undefined
    const account = await useToken(ctx, token, code, await hashPassword(password, ctx.passwordHashing))
    if (account === 'code invalid') return account
    if (account) {
      await notifyAccountHolder(ctx, 'password_changed', account)
      return 'done'
    }
  }
  await ctx.errorCounts.count(ctx, { action: 'password_reset_refused', reason: `${state} token` })
  return 'token'
}

/** Whether this token has set this password, within the last minute. Counts as a guess where it has not. */
export async function wasPasswordJustSet(ctx: Context, token: string, password: string): Promise<boolean> {
  const account = await ctx.database.sql
    .selectFrom('root_user')
    .innerJoin('reset_token', 'reset_token.root_user_id', 'root_user.id')
    .select(['password_hash'])
    .where('token_hash', '=', tokenHash(token))
    .where('used_at', '>', new Date(Date.now() - REPEAT_MS))
    .executeTakeFirst()
  if (!account?.password_hash) return false
  const settle = await startLimitedGuess(ctx)
  const isSame = await verifyPassword(password, account.password_hash)
  await settle(isSame ? undefined : new Failure(400, 'Reset token is invalid'))
  return isSame
}

/** The account whose token was used up; undefined when another call was faster, or the token's time was over. */
const useToken = (
  ctx: Context,
  token: string,
  code: { phone: string; validnum: string } | undefined,
  password_hash: string,
) =>
  ctx.database.transaction(async (sql) => {
    const now = new Date()
    const account = await sql
      .selectFrom('root_user')
      .innerJoin('reset_token', 'reset_token.root_user_id', 'root_user.id')
      .select(['root_user.id', 'email', 'language', 'national_code'])
      .where('token_hash', '=', tokenHash(token))
      .forUpdate('root_user')
      .executeTakeFirst()
    if (!account) return undefined
    if (code && !(await consumeSmsCode(sql, ctx, code.phone, code.validnum))) return 'code invalid' as const
    // After the lock: the transaction that held it may have used the token.
    const used = await sql
      .updateTable('reset_token')
      .set({ used_at: now })
      .where('token_hash', '=', tokenHash(token))
      .where('used_at', 'is', null)
      .where('expires_at', '>', now)
      .executeTakeFirst()
    if (used.numUpdatedRows === 0n) return undefined
    const rootUserId = account.id
    await sql
      .updateTable('root_user')
      .set((column) => ({
        password_hash,
        password_changed_at: now,
        email_confirmed_at: column.fn.coalesce('email_confirmed_at', column.val(now)),
      }))
      .where('id', '=', rootUserId)
      .execute()
    await invalidateResetTokens(sql, rootUserId)
    await resetUnknownIpFailures(sql, rootUserId)
    await endSessions(sql, rootUserId)
    await recordSecurityEvent(sql, ctx, { action: 'password_reset', rootUserId })
    return account
  })
