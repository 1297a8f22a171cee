import { z } from 'zod'
import type { Database } from '../database/database.ts'
import { Failure } from '../errors/failure.ts'
import type { ErrorDeclaration } from '../errors/failure.ts'
import type { Context } from '../http/context.ts'
import { textField } from '../http/fields.ts'
import { InvalidInput } from '../http/validation-issues.ts'
import { isCurrentPassword } from './password/current-password.ts'
import { socialTokenInput, socialTokenErrors, verifySocialToken } from './social/social-token.ts'

/** How old the ID token may be by which the holder of an account without a password proves to be there. */
const FRESH_MS = 10 * 60_000

export const holderErrors = [
  [400, 'Password is invalid', 'the password is wrong'],
  ...socialTokenErrors,
  [429, 'Too many requests', '10 wrong passwords within 15 minutes'],
] as const satisfies readonly ErrorDeclaration[]

const [passwordInvalid, tokenInvalid] = holderErrors

/** What proves that the holder of a signed-in account is there, and not a thief of the phone. */
export const reauthenticationInput = z.object({
  password: textField({ most: 1000 })
    .optional()
    .meta({ format: 'password', description: 'Required for an account that has a password' }),
  provider: socialTokenInput.shape.provider
    .optional()
    .meta({ description: 'Required, with `id_token`, for an account without a password' }),
  id_token: socialTokenInput.shape.id_token
    .optional()
    .meta({ description: 'An ID token (OpenID Connect) that is at most 10 minutes old' }),
  nonce: socialTokenInput.shape.nonce,
})

/** Throws unless the proof is that of the account: its password, or a fresh ID token of its identity if it has none. */
export async function reauthenticate(
  ctx: Context & { database: Database },
  account: { id: number; password_hash: string | null },
  { password, provider, id_token, nonce }: z.infer<typeof reauthenticationInput>,
): Promise<void> {
  if (account.password_hash !== null) {
    if (password === undefined) throw new InvalidInput(['password'], 'is required')
    if (!(await isCurrentPassword(ctx, account, password))) throw new Failure(...passwordInvalid)
    return
  }
  if (provider === undefined) throw new InvalidInput(['provider'], 'is required')
  if (id_token === undefined) throw new InvalidInput(['id_token'], 'is required')
  const { issuer, subject, issuedAt } = await verifySocialToken(ctx, { provider, id_token, nonce })
  const own = await ctx.database.sql
    .selectFrom('social_identity')
    .select('root_user_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .where('root_user_id', '=', account.id)
    .executeTakeFirst()
  if (!own || issuedAt.getTime() < Date.now() - FRESH_MS) throw new Failure(...tokenInvalid)
}
