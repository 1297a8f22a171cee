import { Failure } from '../../errors/failure.ts'
import type { ErrorDeclaration } from '../../errors/failure.ts'
import type { Context } from '../../http/context.ts'
import { countPasswordAttempt } from './password-attempts.ts'
import { verifyPassword } from './passwords.ts'
import { wasDeleted } from '../tombstone.ts'
import { emailConditionSql } from '../../encrypted-columns/lookup.ts'

export const passwordErrors = [
  [400, 'Password is invalid', 'the password is wrong, or the account has none'],
  [404, 'User not found', 'no account has this e-mail'],
] as const satisfies readonly ErrorDeclaration[]

const [wrong, unknown] = passwordErrors

interface Proof {
  email: string
  password: string
  /** Called with the account as soon as it is known. */
  concerns: (rootUserId: number) => void
}

/**
 * The account whose e-mail and password these are; throws otherwise, or when too many attempts were made. `assertStill` is for
 * its locked row.
 */
export async function verifyEmailAndPassword(ctx: Context, { email: given, password, concerns }: Proof) {
  const email = given.toLowerCase()
  const { sql, keyRing } = ctx.database
  const account = await sql
    .selectFrom('root_user')
    .select(['id', 'password_hash'])
    .where(emailConditionSql(keyRing, email))
    .executeTakeFirst()
  if (!account) {
    if (await wasDeleted(sql, ctx, 'email', email)) throw new Failure(410, 'User is Deleted')
    throw new Failure(...unknown)
  }
  concerns(account.id)
  const wasRight = await countPasswordAttempt(ctx, { id: account.id, email })
  if (!account.password_hash || !(await verifyPassword(password, account.password_hash)))
    throw new Failure(...wrong)
  await wasRight()
  return {
    id: account.id,
    assertStill: ({ password_hash }: { password_hash: string | null }) => {
      if (password_hash !== account.password_hash) throw new Failure(...wrong)
    },
  }
}
