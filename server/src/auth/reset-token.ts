import { randomBytes } from 'node:crypto'
import type { Sql } from '../database/database.ts'
import type { Context } from '../http/context.ts'
import { tellHolder } from './notice.ts'
import { endStrangerStreak } from './password-tries.ts'
import { hashPassword } from './passwords.ts'
import { record } from './security-record.ts'
import { endSessions } from './session.ts'
import { tokenHash } from './tokens.ts'

/** How long a link for a new password works. */
const LIFE_MS = 30 * 60_000

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
export async function discardResetToken({ database }: Context, token: string): Promise<void> {
  await database.sql.deleteFrom('reset_token').where('token_hash', '=', tokenHash(token)).execute()
}

/** Once the password is another, no mail sent before may change it. */
export async function useUpResetTokens(sql: Sql, rootUserId: number): Promise<void> {
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
 * Gives the token's account a new password, uses up every token it has, and ends its session. False, and nothing done,
 * unless the token is live; of several calls at once one succeeds.
 */
export async function resetPassword(ctx: Context, token: string, password: string): Promise<boolean> {
  // Asked first, because hashing is expensive and anybody may call.
  const state = await resetTokenState(ctx, token)
  const account =
    state === 'live'
      ? await useToken(ctx, token, await hashPassword(password, ctx.passwordHashing))
      : undefined
  if (account) await tellHolder(ctx, 'password_changed', account)
  else await ctx.refusals.count(ctx, { action: 'password_reset_refused', reason: `${state} token` })
  return account !== undefined
}

/** The account whose token was used up; undefined when another call was faster, or the token's time was over. */
const useToken = (ctx: Context, token: string, password_hash: string) =>
  ctx.database.transaction(async (sql) => {
    const now = new Date()
    const account = await sql
      .selectFrom('root_user')
      .innerJoin('reset_token', 'reset_token.root_user_id', 'root_user.id')
      .select(['root_user.id', 'email', 'national_code'])
      .where('token_hash', '=', tokenHash(token))
      .forUpdate('root_user')
      .executeTakeFirst()
    if (!account) return undefined
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
      .set({ password_hash, password_changed_at: now })
      .where('id', '=', rootUserId)
      .execute()
    await useUpResetTokens(sql, rootUserId)
    await endStrangerStreak(sql, rootUserId)
    await endSessions(sql, rootUserId)
    await record(sql, ctx, { action: 'password_reset', rootUserId })
    return account
  })
