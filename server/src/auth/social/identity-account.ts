import { Failure } from '../../errors/failure.ts'
import type { ErrorDeclaration } from '../../errors/failure.ts'
import type { Context } from '../../http/context.ts'
import { identityHashInput } from '../new-account.ts'
import type { Identity } from './social-provider.ts'
import { wasDeleted } from '../tombstone.ts'

export const unknownIdentity = [
  404,
  'User not found',
  'nobody has signed up with this identity',
] as const satisfies ErrorDeclaration

/** The id of the account that has signed up with this identity. Throws 404 or 410 if there is none. */
export async function findAccountByIdentity(ctx: Context, identity: Identity): Promise<number> {
  const { sql } = ctx.database
  const account = await sql
    .selectFrom('social_identity')
    .select('root_user_id')
    .where('issuer', '=', identity.issuer)
    .where('subject', '=', identity.subject)
    .executeTakeFirst()
  if (account) return account.root_user_id
  const isDeleted = await wasDeleted(sql, ctx, 'identity', identityHashInput(identity))
  throw isDeleted ? new Failure(410, 'User is Deleted') : new Failure(...unknownIdentity)
}
