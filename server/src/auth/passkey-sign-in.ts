import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { startSessionIfAllowed, stateErrors } from './admission.ts'
import { limitFailedGuesses } from './count-failures.ts'
import { findByPasskey } from './passkey/passkey.ts'
import { challengeIdField, usedCredentialSchema } from './passkey/webauthn-json.ts'
import { SIGN_IN_CHALLENGE } from './passkey-sign-in-options.ts'
import { recordErrorsOfOperation } from './security-record.ts'
import { sessionResponseSchema } from './tokens/token-response.ts'
import { useToken } from './tokens/use-token.ts'

const [, , , blocked] = stateErrors

export const passkeySignIn = endpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/passkey/signin',
    summary: 'Open a session by a passkey',
    description:
      'For clinicians. An account has one session: the refresh token of an earlier sign-in no longer works.',
  },
  [
    [
      401,
      'Could not validate credentials',
      'the passkey is unknown or has not signed this challenge, or the challenge was used or is older than five minutes',
    ],
    blocked,
    [429, 'Too many requests', '100 failures of one IP address within 10 minutes'],
  ],
)
  .use(recordErrorsOfOperation('passkey_sign_in'))
  .input(z.object({ challenge_id: challengeIdField, credential: usedCredentialSchema }))
  .output(sessionResponseSchema)
  .use(limitFailedGuesses)
  .mutation(async ({ ctx, input: { challenge_id, credential } }) => {
    const challenge = await ctx.tokens.verifyChallenge(SIGN_IN_CHALLENGE, challenge_id)
    const found = challenge && (await findByPasskey(ctx, challenge.challenge, credential))
    if (!found) throw ctx.failure(401, 'Could not validate credentials')
    ctx.concerns(found.root_user_id)
    return ctx.database.transaction(async (tx) => {
      if (!(await useToken(tx, challenge))) throw ctx.failure(401, 'Could not validate credentials')
      const session = await startSessionIfAllowed(tx, ctx, found.root_user_id, 'passkey_sign_in')
      // After the account is locked: removing the passkey, too, begins with that.
      const used = await tx
        .updateTable('passkey')
        .set({
          sign_count: (row) => row.fn<bigint>('greatest', ['sign_count', row.val(found.sign_count)]),
          last_used_at: new Date(),
        })
        .where('id', '=', found.id)
        .executeTakeFirst()
      if (used.numUpdatedRows === 0n) throw ctx.failure(401, 'Could not validate credentials')
      return session
    })
  })
