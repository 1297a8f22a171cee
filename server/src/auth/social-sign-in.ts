import { endpoint } from '../http/endpoint.ts'
import { admit, stateErrors } from './admission.ts'
import { countFailures } from './count-failures.ts'
import { identityKey } from './new-account.ts'
import { recordRefusals } from './security-record.ts'
import { socialToken, socialTokenErrors, verifySocialToken } from './social-token.ts'
import { sessionResponse } from './token-response.ts'
import { wasDeleted } from './tombstone.ts'

export const socialSignIn = endpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/social/signin',
    summary: 'Sign in with a social account',
    description: `The account is the one that signed up with the same identity: the issuer and subject of the ID token, never the e-mail.
An account has one session: the refresh token of an earlier sign-in no longer works.`,
  },
  [[404, 'User not found', 'nobody has signed up with this identity'], ...stateErrors, ...socialTokenErrors],
)
  .use(recordRefusals('social_sign_in'))
  .input(socialToken)
  .output(sessionResponse)
  .use(countFailures)
  .mutation(async ({ ctx, input }) => {
    const identity = await verifySocialToken(ctx, input)
    const { sql } = ctx.database
    const account = await sql
      .selectFrom('social_identity')
      .select('root_user_id')
      .where('issuer', '=', identity.issuer)
      .where('subject', '=', identity.subject)
      .executeTakeFirst()
    if (!account) {
      const isDeleted = await wasDeleted(sql, ctx, 'identity', identityKey(identity))
      throw isDeleted ? ctx.failure(410, 'User is Deleted') : ctx.failure(404, 'User not found')
    }
    ctx.concerns(account.root_user_id)
    return ctx.database.transaction((sql) => admit(sql, ctx, account.root_user_id, 'social_sign_in'))
  })
