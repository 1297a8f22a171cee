import type { Operation } from '@trpc/client'
import type { OperationOutput } from './promise-observable.ts'
import type { SendWithToken } from './call-link.ts'
import { wrapAsSignedOutError } from './errors.ts'
import { SESSION_STARTING_OPERATIONS } from './operation-kinds.ts'
import { NEEDS_NO_SESSION } from './operations/kinds.ts'
import { signedOutReasonOf, isAccessTokenExpired } from './session-end.ts'

/**
 * Gives the access token of a call. It is asked before each call, so keep the token; with `expired` the service has refused the
 * one that was given last, and another one is needed.
 */
export type AccessTokenProvider = (reason: { expired: boolean }) => Promise<string>

/** Sends the calls of a client that has an access token and no session: it renews nothing and keeps nothing. */
export function callsWithAccessToken(accessToken: string | AccessTokenProvider) {
  let given: string | undefined
  const ask = async (expired: boolean) =>
    (given = typeof accessToken === 'string' ? accessToken : await accessToken({ expired }))

  async function perform(send: SendWithToken): Promise<OperationOutput> {
    const token = await ask(false)
    return send(token).catch(async (error: unknown) => {
      const isRefused = isAccessTokenExpired(error) || signedOutReasonOf(error) === 'invalid'
      if (typeof accessToken === 'string' || !isRefused) throw error
      // Of calls that are refused together, one gets another token for all.
      return send(await ask(token === given))
    })
  }

  return async ({ path }: Operation, send: SendWithToken): Promise<OperationOutput> => {
    if (SESSION_STARTING_OPERATIONS.has(path) || path === 'auth.refresh')
      throw new Error('A client with an access token has no session to start or to renew')
    if (NEEDS_NO_SESSION.has(path)) return send()
    return perform(send).catch((error: unknown) => {
      const reason = isAccessTokenExpired(error) ? 'expired' : signedOutReasonOf(error)
      throw reason ? wrapAsSignedOutError(error, reason) : error
    })
  }
}
