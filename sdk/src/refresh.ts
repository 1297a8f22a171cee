import { isOffline, errorResponseOf, signedOutError } from './errors.ts'
import type { SignedOutReason } from './errors.ts'
import { retryAfterMsOfError } from './retry-after.ts'
import type { SessionOwner } from './session-manager.ts'
import { renewedSession } from './stored-session.ts'
import type { StoredSession, Tokens } from './stored-session.ts'

/** Sends one refresh request. */
type Exchange = (refreshToken: string, idempotencyKey: string, signal: AbortSignal) => Promise<Tokens>

export interface SessionRefresher {
  /** Returns a session with a newer access token than that of `stale`. */
  refresh: (stale: StoredSession) => Promise<StoredSession>
  /** Ends the refresh of a login that is over, so that no call, above all no sign-in, waits for it. */
  abandon: (session: StoredSession) => void
}

export interface RefreshParts {
  sessions: SessionOwner
  exchange: Exchange
  /** Keeps sign-ins waiting: a refresh that overtakes a sign-in would end the new session at the service. */
  serialize: <Result>(work: () => Promise<Result>) => Promise<Result>
}

const MOST_ATTEMPTS = 3
/** Milliseconds before the second and the third try, after a failed one. */
const PAUSES = [250, 1000]
/**
 * Milliseconds without a response after which another try starts beside the first, perhaps on a new connection. The
 * first response counts.
 */
const TIMEOUT_MS = 7500
/** Milliseconds. If the service asks for a longer pause, the calls that wait for the refresh fail instead. */
const LONGEST_PAUSE = 2000

/**
 * Refreshes once for all callers of the same login. The Idempotency-Key is saved with the token, and used again until an
 * answer is saved, even by the next start of the app and by other clients over the same storage. So neither a lost
 * answer nor a second tab costs anybody the session. The new tokens are saved before any caller gets them.
 */
export function sharedRefresh({ sessions, exchange, serialize }: RefreshParts): SessionRefresher {
  const flights = new Map<string, { result: Promise<StoredSession>; stop: AbortController }>()
  let unsaved: { replaces: string; session: StoredSession } | undefined

  /**
   * The newer login of the same account that took the place of `over`. Throws when there is none: the login of another
   * account never takes its place.
   */
  async function instead(
    over: StoredSession,
    reason: SignedOutReason,
    cause?: unknown,
  ): Promise<StoredSession> {
    const current = await sessions.current()
    if (current?.root_user_id === over.root_user_id) return current
    throw signedOutError(reason, cause)
  }

  async function save(session: StoredSession, replaces: string): Promise<StoredSession> {
    unsaved = { replaces, session }
    const isSaved = await sessions.advance(session)
    unsaved = undefined
    return isSaved ? session : instead(session, 'signed_out')
  }

  async function exchanged(stale: StoredSession, { signal }: AbortController): Promise<StoredSession> {
    const session = await sessions.latest()
    if (session?.root_user_id !== stale.root_user_id) throw signedOutError('signed_out')
    if (session.access_token !== stale.access_token) return session
    // A response came but the storage failed. The response has invalidated the old token.
    if (unsaved?.replaces === session.refresh_token) return save(unsaved.session, unsaved.replaces)

    const sentAt = Date.now()
    const begunAt = await sessions.begin(session, sentAt)
    let tokens: Tokens
    try {
      tokens = await insist(() => exchange(session.refresh_token, session.refresh_key, signal))
    } catch (error) {
      if (signal.aborted) return instead(session, 'signed_out')
      const reason = endOf(error, Date.now() - begunAt)
      if (!reason) throw error
      await sessions.end(session, reason)
      return instead(session, reason, error)
    }
    return save(renewedSession(session, tokens, sentAt), session.refresh_token)
  }

  return {
    refresh(stale) {
      const running = flights.get(stale.login)
      if (running) return running.result
      const stop = new AbortController()
      const result = serialize(() => exchanged(stale, stop)).finally(() => flights.delete(stale.login))
      flights.set(stale.login, { result, stop })
      return result
    },
    abandon: ({ login }) => flights.get(login)?.stop.abort(),
  }
}

function insist<Result>(send: () => Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    let begun = 0
    let failed = 0
    let isDone = false
    /** Once true, no further try starts. The service may still answer those on their way. */
    let isLast = false
    let timer: ReturnType<typeof setTimeout> | undefined

    const tryIn = (ms: number) => {
      clearTimeout(timer)
      if (begun < MOST_ATTEMPTS && !isDone && !isLast) timer = setTimeout(attempt, ms)
    }
    const end = (settle: () => void) => {
      isDone = true
      clearTimeout(timer)
      settle()
    }
    function attempt() {
      begun++
      tryIn(TIMEOUT_MS)
      send().then(
        (result) => end(() => resolve(result)),
        (error: unknown) => {
          failed++
          const asked = retryAfterMsOfError(error)
          const isFinal = asked === undefined ? !isOffline(error) : asked > LONGEST_PAUSE
          isLast ||= isFinal || begun === MOST_ATTEMPTS
          if (isLast && (failed === begun || errorResponseOf(error)?.status === 401)) end(() => reject(error))
          else tryIn(Math.max(PAUSES[begun - 1] ?? 0, asked ?? 0))
        },
      )
    }
    attempt()
  })
}

/** The three responses to a refresh that end the session (contract, refresh-token); no other response does. */
const ENDS: Record<string, SignedOutReason> = {
  'Refresh token is not valid': 'duplicate_login',
  'Token is expired': 'expired',
  'Could not validate credentials': 'invalid',
}

/**
 * Milliseconds for which the service repeats the response to a refresh. Afterwards a repeated refresh looks like a
 * duplicate login.
 */
const REPEATED_MS = 60_000

function endOf(error: unknown, age: number): SignedOutReason | undefined {
  const { status, detail } = errorResponseOf(error) ?? {}
  const reason = status === 401 && typeof detail === 'string' ? ENDS[detail] : undefined
  return reason === 'duplicate_login' && age > REPEATED_MS ? 'invalid' : reason
}
