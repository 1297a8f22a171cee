import type { Operation } from '@trpc/client'
import type { Output } from './promise-observable.ts'
import type { Send } from './call-link.ts'
import { withReason } from './errors.ts'
import { STARTS_SESSION } from './operation-kinds.ts'
import { NEEDS_NO_SESSION } from './operations/kinds.ts'
import { endOf, isExpired } from './session-end.ts'

/**
 * Gives the access token of a call. It is asked before each call, so keep the token; with `expired` the service has refused the
 * one that was given last, and another one is needed.
 */
export type AccessTokenProvider = (reason: { expired: boolean }) => Promise<string>

/** Sends the calls of a client that has an access token and no session: it renews nothing and keeps nothing. */
export function tokenCalls(accessToken: string | AccessTokenProvider) {
  let given: string | undefined
  const ask = async (expired: boolean) =>
    (given = typeof accessToken === 'string' ? accessToken : await accessToken({ expired }))

  async function perform(send: Send): Promise<Output> {
    const token = await ask(false)
    return send(token).catch(async (error: unknown) => {
      const isRefused = isExpired(error) || endOf(error) === 'invalid'
      if (typeof accessToken === 'string' || !isRefused) throw error
      // Of calls that are refused together, one gets another token for all.
      return send(await ask(token === given))
    })
  }

  return async ({ path }: Operation, send: Send): Promise<Output> => {
    if (STARTS_SESSION.has(path) || path === 'auth.refresh')
      throw new Error('A client with an access token has no session to start or to renew')
    if (NEEDS_NO_SESSION.has(path)) return send()
    return perform(send).catch((error: unknown) => {
      const reason = isExpired(error) ? 'expired' : endOf(error)
      throw reason ? withReason(error, reason) : error
    })
  }
}
