import type { Operation, OperationResultEnvelope, TRPCClientError, TRPCLink } from '@trpc/client'
import { observable, observableToPromise } from '@trpc/server/observable'
import type { Observable } from '@trpc/server/observable'
import type { AppRouter } from '@companion/server/router'
import { callError, isSignedOut, property, refusalOf, signedOut, unreachable, withReason } from './errors.ts'
import type { SignedOutReason } from './errors.ts'
import { endsSession, REPLACES_TOKENS, STARTS_SESSION } from './operation-kinds.ts'
import { NEEDS_NO_SESSION } from './operations/kinds.ts'
import type { Refresh } from './refresh.ts'
import type { Sessions } from './sessions.ts'
import { areTokens, newSession } from './stored-session.ts'
import type { StoredSession } from './stored-session.ts'
import { headersOf } from './transport.ts'
import { timeLimit, unlessAborted, within } from './within.ts'

export interface SessionLinkParts {
  sessions: Sessions
  refresh: Refresh['refresh']
  /** Runs one sign-in or refresh at a time. */
  alone: <Result>(work: () => Promise<Result>) => Promise<Result>
  /** Time limit of a whole call in milliseconds, unless its context has a `timeout`. */
  timeout: number
  /** Called for each answer. */
  onAnswer: () => void
}

type Answer = OperationResultEnvelope<unknown, TRPCClientError<AppRouter>>
type Send = (session?: StoredSession) => Promise<Answer>

/**
 * Handles every call of the short methods and of the raw client: its time limit, the access token, the refresh of an
 * expired token, the start and the end of sessions. A call whose context has an `account` is sent in the name of that
 * account only.
 */
export function sessionLink({
  sessions,
  refresh,
  alone,
  timeout,
  onAnswer,
}: SessionLinkParts): TRPCLink<AppRouter> {
  async function perform({ path, context: { account } }: Operation, send: Send): Promise<Answer> {
    if (path === 'auth.refresh')
      throw new Error('The session refreshes itself; a refresh by hand would end it')
    const answer = await (STARTS_SESSION.has(path)
      ? alone(() => start(send))
      : NEEDS_NO_SESSION.has(path)
        ? sendUnsigned(account, send)
        : sendSignedIn(path, await sessionOf(account), send))
    onAnswer()
    return answer
  }

  async function sendUnsigned(account: unknown, send: Send): Promise<Answer> {
    if (account !== undefined) await sessionOf(account)
    return send()
  }

  async function sessionOf(account: unknown): Promise<StoredSession> {
    const session = await sessions.current()
    if (!session || (account !== undefined && session.root_user_id !== account)) throw signedOut('signed_out')
    return session
  }

  /** Sends a call that answers a token response, and saves the tokens before the caller gets them. */
  async function start(send: Send, session?: StoredSession): Promise<Answer> {
    const sentAt = Date.now()
    const answer = await send(session)
    const tokens = property(answer.result, 'data')
    if (!areTokens(tokens) || typeof tokens.id !== 'number')
      throw unreachable('The answer is no token response')
    await sessions.start(newSession(tokens.id, tokens, sentAt))
    return answer
  }

  async function sendSignedIn(path: string, kept: StoredSession, send: Send): Promise<Answer> {
    let session = Date.now() < kept.renew_at ? kept : await refresh(kept)
    const attempt = () => (REPLACES_TOKENS.has(path) ? alone(() => start(send, session)) : send(session))
    try {
      const answer = await attempt().catch(async (error: unknown) => {
        if (!isTokenFault(error)) throw error
        session = await refresh(session)
        return attempt()
      })
      const reason = endsSession(path)
      if (reason) await sessions.end(session, reason)
      return answer
    } catch (error) {
      const reason = isSignedOut(error) ? undefined : endOf(error)
      if (!reason) throw error
      await sessions.end(session, reason)
      throw withReason(error, reason)
    }
  }

  async function answered(
    op: Operation,
    next: (op: Operation) => Observable<Answer, unknown>,
  ): Promise<Answer> {
    const bounds = {
      ms: timeoutOf(op) ?? timeout,
      signal: op.signal,
      late: () => unreachable('No answer in time'),
    }
    return within(bounds, async (signal) =>
      perform(op, (session) => {
        const headers = { ...headersOf(op.context), ...(session && bearer(session.access_token)) }
        const answer = observableToPromise(next({ ...op, signal, context: { ...op.context, headers } }))
        // A `fetch` of the app may ignore the signal, and other calls wait for a sign-in to end.
        return unlessAborted(signal, answer)
      }),
    )
  }

  return () =>
    ({ op, next }) =>
      observable((observer) => {
        void answered(op, next)
          .then(observer.next, (error: unknown) => observer.error(callError(error)))
          .finally(observer.complete)
      })
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const timeoutOf = ({ context }: Operation): number | undefined =>
  typeof context['timeout'] === 'number' ? timeLimit(context['timeout']) : undefined

/** Refusals that a newer access token may remove. */
function isTokenFault(error: unknown): boolean {
  const { status, detail } = refusalOf(error) ?? {}
  return status === 401 && (detail === 'Token is expired' || detail === 'Could not validate credentials')
}

/** Refusals that end the session: those of an account operation, after a refresh where one could help. */
function endOf(error: unknown): SignedOutReason | undefined {
  const { status, detail } = refusalOf(error) ?? {}
  if (status === 423) return 'blocked'
  if (status !== 401) return undefined
  if (detail === 'User is None' || detail === 'User is Deleted') return 'deleted'
  return detail === 'Could not validate credentials' ? 'invalid' : undefined
}
