import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { noFieldsSchema } from '../http/fields.ts'
import { requestOptions } from './passkey/passkey.ts'
import { challengeIdField, requestOptionsSchema } from './passkey/webauthn-json.ts'

/** What a challenge is for by which somebody signs in. */
export const SIGN_IN_CHALLENGE = 'sign in'

export const passkeySignInOptions = endpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/passkey/options',
    summary: 'Begin a session by a passkey',
    description:
      'For clinicians. `options` are what `navigator.credentials.get()` takes; they are good for five minutes, and nothing is kept of them.',
  },
  [],
)
  .input(noFieldsSchema)
  .output(
    z
      .object({ challenge_id: challengeIdField, options: requestOptionsSchema })
      .meta({ id: 'PasskeyRequest', description: 'How to sign in by a passkey' }),
  )
  .mutation(async ({ ctx }) => {
    const challenge = await ctx.tokens.issueChallenge(SIGN_IN_CHALLENGE)
    return { challenge_id: challenge.challenge_id, options: await requestOptions(ctx, challenge) }
  })
