import type { Operation } from '@trpc/client'
import type { Answer } from './promise-observable.ts'
import type { Send } from './call-link.ts'
import { withReason } from './errors.ts'
import { STARTS_SESSION } from './operation-kinds.ts'
import { NEEDS_NO_SESSION } from './operations/kinds.ts'
import { endOf, isExpired } from './session-end.ts'

/** Sends the calls of a client that has an access token and no session: it renews nothing and keeps nothing. */
export const tokenCalls =
  (accessToken: string) =>
  async ({ path }: Operation, send: Send): Promise<Answer> => {
    if (STARTS_SESSION.has(path) || path === 'auth.refresh')
      throw new Error('A client with an access token has no session to start or to renew')
    if (NEEDS_NO_SESSION.has(path)) return send()
    return send(accessToken).catch((error: unknown) => {
      const reason = isExpired(error) ? 'expired' : endOf(error)
      throw reason ? withReason(error, reason) : error
    })
  }
