import type { SignedOutReason } from '@companion/sdk'
import { createContext, use, useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { answers } from '../companion/answers'
import { companion, whenSignedOut } from '../companion/client'

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

async function readSession(): Promise<SessionState> {
  const session = await companion.session.current().catch(() => undefined)
  await (session ? answers.keep(session.root_user_id) : answers.forget())
  return { status: session ? 'in' : 'out' }
}

/** Follows the SDK's session: the app shows what is kept here, and nothing decides twice who is signed in. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState<SessionState>({ status: 'unknown' })
  useEffect(() => {
    void readSession().then(setState)
    return whenSignedOut((reason) => {
      void answers.forget()
      setState({ status: 'out', reason })
    })
  }, [])
  const context = useMemo(() => ({ state, entered: () => void readSession().then(setState) }), [state])
  return <Sessions value={context}>{children}</Sessions>
}

export function useSession(): SessionContext {
  const context = use(Sessions)
  if (!context) throw new Error('SessionProvider is missing')
  return context
}
