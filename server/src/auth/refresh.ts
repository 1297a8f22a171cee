import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { InvalidInput } from '../http/validation-issues.ts'
import { limitFailedGuesses } from './count-failures.ts'
import { recordErrorsOfOperation } from './security-record.ts'
import { rotateSession } from './tokens/session.ts'
import { refreshedResponse } from './tokens/token-response.ts'

const KEY_LENGTH = { minLength: 16, maxLength: 255 }

export const refresh = endpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/refresh-token',
    summary: 'Exchange the refresh token for a new pair',
    description: `A refresh token works once. A token that is not the stored one ends the session (duplicate login), unless
it is older than the last sign-out, block or change of the password: that one is refused and ends nothing. With an
\`Idempotency-Key\`, the same call may be repeated for 60 seconds and gets the same pair.`,
    headers: {
      'Idempotency-Key': {
        description: 'Made by the client; protects against a lost response.',
        ...KEY_LENGTH,
        examples: ['9b2f6f0e-5f0b-4d59-8a53-6f1f3f3c2a11'],
      },
    },
  },
  [
    [401, 'Could not validate credentials', 'it is no refresh token of this service'],
    [401, 'Token is expired', 'it is older than 14 days'],
    [401, 'Refresh token is not valid', 'it is not the stored one, and the session has ended'],
  ],
)
  .use(recordErrorsOfOperation('refresh'))
  .input(z.object({ refresh_token: z.string() }))
  .output(refreshedResponse)
  .use(limitFailedGuesses)
  .mutation(async ({ ctx, input: { refresh_token } }) => {
    const { minLength, maxLength } = KEY_LENGTH
    const key = ctx.request.headers['idempotency-key']
    if (key !== undefined && (typeof key !== 'string' || key.length < minLength || key.length > maxLength)) {
      throw new InvalidInput(
        ['Idempotency-Key'],
        `must have ${minLength} to ${maxLength} characters`,
        'header',
      )
    }
    const claims = await ctx.tokens.verifyRefresh(refresh_token)
    if (claims === 'expired') throw ctx.failure(401, 'Token is expired')
    if (claims === 'invalid') throw ctx.failure(401, 'Could not validate credentials')
    ctx.concerns(claims.rootUserId)
    const pair = await ctx.database.transaction((sql) => rotateSession(sql, ctx, claims, refresh_token, key))
    // Thrown here and not inside: the removal of the stored token must be committed.
    if (!pair) throw ctx.failure(401, 'Refresh token is not valid')
    return { ...pair, token_type: 'bearer' }
  })
