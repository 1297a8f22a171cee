import type { Sessions } from './sessions.ts'

/** Who is signed in. */
export interface Session {
  root_user_id: number
  /** When the session ends if the app is not used until then. */
  expires_at: Date
}

export const sessionOperations = (sessions: Sessions) => {
  const current = async (): Promise<Session | undefined> => {
    const session = await sessions.current()
    return session && { root_user_id: session.root_user_id, expires_at: new Date(session.refresh_expires_at) }
  }
  return {
    /**
     * The session of this client's service, from the storage at the first call; undefined when nobody is signed in.
     * Asks nobody: whether the service still accepts it shows at the next call.
     */
    current,
    /** Whether somebody is signed in, by the same measure. */
    isSignedIn: async (): Promise<boolean> => (await current()) !== undefined,
    /**
     * Forgets the session on this phone, at once and without network: `onSignedOut('signed_out')`. The service is not told
     * (`auth.signOut` does), so push messages go on until somebody signs in.
     */
    signOut: (): Promise<void> => sessions.signOut(),
  }
}
