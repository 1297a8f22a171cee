import type { SignedOutReason } from '@companion/sdk'
import { createContext, use, useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { companion, whenSignedOut } from '../companion/client'
import { queryClient } from '../companion/query-client'

export type SessionState =
  | { status: 'unknown' }
  | { status: 'in' }
  /** The reason is known when a session ended while the app ran. */
  | { status: 'out'; reason?: SignedOutReason }

interface SessionContext {
  state: SessionState
  /** To be called after the SDK signed in. */
  entered: () => void
}

const Sessions = createContext<SessionContext | null>(null)

/** Follows the SDK's session: the app shows what is kept here, and nothing decides twice who is signed in. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState<SessionState>({ status: 'unknown' })
  useEffect(() => {
    companion.session.isSignedIn().then(
      (isIn) => setState({ status: isIn ? 'in' : 'out' }),
      () => setState({ status: 'out' }),
    )
    return whenSignedOut((reason) => {
      // Nothing of one family may be seen by the next that signs in on this phone.
      queryClient.clear()
      setState({ status: 'out', reason })
    })
  }, [])
  const context = useMemo(() => ({ state, entered: () => setState({ status: 'in' }) }), [state])
  return <Sessions value={context}>{children}</Sessions>
}

export function useSession(): SessionContext {
  const context = use(Sessions)
  if (!context) throw new Error('SessionProvider is missing')
  return context
}
