import type { SessionListener, SessionOwner, SessionSnapshot } from './session-manager.ts'

/** The account that is signed in. */
export interface Session {
  root_user_id: number
  /** When the session ends, unless the app is used before that. */
  expires_at: Date
}

/** The session, as the app sees it. */
export interface SessionOperations {
  /**
   * The session of this client's service, which the first call reads from the storage; undefined when nobody is
   * signed in. Does not ask the service: only the next call shows whether the service still accepts the session.
   */
  current(): Promise<Session | undefined>
  /** Whether somebody is signed in, also without asking the service. */
  isSignedIn(): Promise<boolean>
  /**
   * The same at once: the same object until somebody signs in or out, with `isSignedIn` undefined until the storage has
   * been read. With `subscribe` it fits React's `useSyncExternalStore`.
   */
  snapshot: () => SessionSnapshot
  /**
   * Calls `listener` with the new snapshot whenever somebody has signed in or out, in a browser also in another tab over
   * the same `localStorage`. The function it answers ends that.
   */
  subscribe: (listener: SessionListener) => () => void
  /**
   * Forgets the session on this phone, at once and without network, and calls `onSignedOut` with `signed_out`. The
   * service does not learn of it (use `auth.signOut` for that), so push messages continue until somebody signs in.
   */
  signOut(): Promise<void>
}

export function sessionOperations(sessions: SessionOwner): SessionOperations {
  const current = async () => {
    const session = await sessions.current()
    return session && { root_user_id: session.root_user_id, expires_at: new Date(session.refresh_expires_at) }
  }
  return {
    current,
    isSignedIn: async () => (await current()) !== undefined,
    snapshot: () => sessions.snapshot(),
    subscribe: (listener) => sessions.subscribe(listener),
    signOut: () => sessions.signOut(),
  }
}
