import type { Operation } from '@trpc/client'
import type { OperationOutput } from './promise-observable.ts'
import type { SendWithToken } from './call-link.ts'
import {
  isSignedOut,
  readProperty,
  signedOutError,
  unreachableError,
  wrapAsSignedOutError,
} from './errors.ts'
import { endsSession, TOKEN_REPLACING_OPERATIONS, SESSION_STARTING_OPERATIONS } from './operation-kinds.ts'
import { NEEDS_NO_SESSION } from './operations/kinds.ts'
import type { SessionRefresher } from './refresh.ts'
import { signedOutReasonOf, isAccessTokenExpired } from './session-end.ts'
import type { SessionOwner } from './session-manager.ts'
import { areTokens, newSession } from './stored-session.ts'
import type { StoredSession } from './stored-session.ts'

export interface SessionCallsParts {
  sessions: SessionOwner
  refresh: SessionRefresher['refresh']
  /** Runs one sign-in or refresh at a time. */
  serialize: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Whether a sign-in may take the place of another session. */
  mayReplace: boolean
  /** Called for each response. */
  onResponse: () => void
}

/**
 * Sends calls in a session: the access token, the refresh of an expired token, the start and the end of sessions. A call
 * whose context has an `account` is sent in the name of that account only.
 */
export function callsWithSession({
  sessions,
  refresh,
  serialize,
  mayReplace,
  onResponse,
}: SessionCallsParts) {
  async function perform(
    { path, context: { account } }: Operation,
    send: SendWithToken,
  ): Promise<OperationOutput> {
    if (path === 'auth.refresh')
      throw new Error('The session refreshes itself; a refresh by hand would end it')
    const response = await (SESSION_STARTING_OPERATIONS.has(path)
      ? serialize(() => signIn(send))
      : NEEDS_NO_SESSION.has(path)
        ? sendUnsigned(account, send)
        : sendSignedIn(path, await sessionOf(account), send))
    onResponse()
    return response
  }

  async function signIn(send: SendWithToken): Promise<OperationOutput> {
    if (!mayReplace && (await sessions.current()))
      throw new Error(
        'Somebody is signed in with this client. On a server, make a client for each request, because visitors who ' +
          'share a client share its session. Elsewhere sign out first, or pass a `storage`',
      )
    return start(send)
  }

  async function sendUnsigned(account: unknown, send: SendWithToken): Promise<OperationOutput> {
    if (account !== undefined) await sessionOf(account)
    return send()
  }

  async function sessionOf(account: unknown): Promise<StoredSession> {
    const session = await sessions.current()
    if (!session || (account !== undefined && session.root_user_id !== account))
      throw signedOutError('signed_out')
    return session
  }

  /** Sends a call that answers a token response, and saves the tokens before the caller gets them. */
  async function start(send: SendWithToken, session?: StoredSession): Promise<OperationOutput> {
    const sentAt = Date.now()
    const response = await send(session?.access_token)
    const tokens = readProperty(response.result, 'data')
    if (!areTokens(tokens) || typeof tokens.id !== 'number')
      throw unreachableError('Response is not a token response')
    await sessions.start(newSession(tokens.id, tokens, sentAt))
    return response
  }

  async function sendSignedIn(
    path: string,
    kept: StoredSession,
    send: SendWithToken,
  ): Promise<OperationOutput> {
    let session = Date.now() < kept.renew_at ? kept : await refresh(kept)
    const attempt = () =>
      TOKEN_REPLACING_OPERATIONS.has(path)
        ? serialize(() => start(send, session))
        : send(session.access_token)
    try {
      const response = await attempt().catch(async (error: unknown) => {
        // A newer access token may help.
        if (!isAccessTokenExpired(error) && signedOutReasonOf(error) !== 'invalid') throw error
        session = await refresh(session)
        return attempt()
      })
      const reason = endsSession(path)
      if (reason) await sessions.end(session, reason)
      return response
    } catch (error) {
      const reason = isSignedOut(error) ? undefined : signedOutReasonOf(error)
      if (!reason) throw error
      await sessions.end(session, reason)
      throw wrapAsSignedOutError(error, reason)
    }
  }

  return perform
}
