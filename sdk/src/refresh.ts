import { isOffline, refusalOf, signedOut } from './errors.ts'
import type { SignedOutReason } from './errors.ts'
import { randomKey } from './random-key.ts'
import { retryAfterOf } from './retry-after.ts'
import type { Sessions } from './sessions.ts'
import { renewedSession } from './stored-session.ts'
import type { StoredSession, Tokens } from './stored-session.ts'

/** Sends one refresh. */
type Exchange = (refreshToken: string, idempotencyKey: string) => Promise<Tokens>

/** Makes a session with a newer access token than `stale` has. */
export type Refresh = (stale: StoredSession) => Promise<StoredSession>

export interface RefreshParts {
  sessions: Sessions
  exchange: Exchange
  /** Holds off sign-ins: a refresh that overtakes one would end the new session at the service. */
  alone: <Result>(work: () => Promise<Result>) => Promise<Result>
}

/** Milliseconds before the second and third try; the service repeats a lost answer for 60 seconds. */
const PAUSES = [250, 1000]
/** Asked to wait longer, the calls that wait for the refresh fail instead. */
const LONGEST_PAUSE = 2000

/**
 * Refreshing, shared: whoever asks while a refresh of the same login runs gets its result. The Idempotency-Key is saved
 * before it is sent and used again until an answer is saved, also by the next start of the app, so that a lost answer
 * costs nobody the session. The new pair is saved before anyone gets it.
 */
export function sharedRefresh({ sessions, exchange, alone }: RefreshParts): Refresh {
  const flights = new Map<string, Promise<StoredSession>>()
  let unsaved: { replaces: string; session: StoredSession } | undefined

  /** That login is over; a newer one of the same account may take its place, another account's never. */
  async function instead(
    over: StoredSession,
    reason: SignedOutReason,
    cause?: unknown,
  ): Promise<StoredSession> {
    const current = await sessions.current()
    if (current?.root_user_id === over.root_user_id) return current
    throw signedOut(reason, cause)
  }

  async function save(session: StoredSession, replaces: string): Promise<StoredSession> {
    unsaved = { replaces, session }
    const isSaved = await sessions.advance(session)
    unsaved = undefined
    return isSaved ? session : instead(session, 'signed_out')
  }

  async function refresh(stale: StoredSession): Promise<StoredSession> {
    const session = await sessions.latest()
    if (session?.root_user_id !== stale.root_user_id) throw signedOut('signed_out')
    if (session.access_token !== stale.access_token) return session
    // An answer came, but the storage failed; the token it replaces is worth nothing any more.
    if (unsaved?.replaces === session.refresh_token) return save(unsaved.session, unsaved.replaces)

    const refresh_key = session.refresh_key ?? randomKey()
    const isKeySaved =
      session.refresh_key !== undefined || (await sessions.advance({ ...session, refresh_key }))
    if (!isKeySaved) return instead(session, 'signed_out')
    const sentAt = Date.now()
    let tokens: Tokens
    try {
      tokens = await insist(() => exchange(session.refresh_token, refresh_key))
    } catch (error) {
      const reason = endOf(error)
      if (!reason) throw error
      await sessions.end(session, reason)
      return instead(session, reason, error)
    }
    return save(renewedSession(session, tokens, sentAt), session.refresh_token)
  }

  return (stale) => {
    const running = flights.get(stale.login)
    if (running) return running
    const flight = alone(() => refresh(stale)).finally(() => flights.delete(stale.login))
    flights.set(stale.login, flight)
    return flight
  }
}

async function insist<Result>(send: () => Promise<Result>): Promise<Result> {
  for (const pause of PAUSES) {
    try {
      return await send()
    } catch (error) {
      const asked = retryAfterOf(error)
      if (asked === undefined ? !isOffline(error) : asked > LONGEST_PAUSE) throw error
      await new Promise((resolve) => setTimeout(resolve, Math.max(pause, asked ?? 0)))
    }
  }
  return send()
}

/** The three answers to a refresh that end the session (contract, refresh-token); nothing else does. */
const ENDS: Record<string, SignedOutReason> = {
  'Refresh token is not valid': 'duplicate_login',
  'Token is expired': 'expired',
  'Could not validate credentials': 'invalid',
}

function endOf(error: unknown): SignedOutReason | undefined {
  const { status, detail } = refusalOf(error) ?? {}
  return status === 401 && typeof detail === 'string' ? ENDS[detail] : undefined
}
