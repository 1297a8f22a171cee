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
  const account = await signedIn()
  if (account === undefined) {
    await answers.forget()
    return { status: 'out' }
  }
  await answers.keep(account)
  // The session may have ended while kept answers were read, and another begun.
  return (await signedIn()) === account ? { status: 'in' } : readSession()
}

const signedIn = async () => (await companion.session.current().catch(() => undefined))?.root_user_id

/** Follows the SDK's session: the app shows what is kept here, and nothing decides twice who is signed in. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState<SessionState>({ status: 'unknown' })
  const follow = () =>
    // Why a session ended stays known.
    void readSession().then((next) => setState((now) => (now.status === next.status ? now : next)))
  useEffect(() => {
    follow()
    return whenSignedOut((reason) => {
      void answers.forget()
      setState({ status: 'out', reason })
    })
  }, [])
  const context = useMemo(() => ({ state, entered: follow }), [state])
  return <Sessions value={context}>{children}</Sessions>
}

export function useSession(): SessionContext {
  const context = use(Sessions)
  if (!context) throw new Error('SessionProvider is missing')
  return context
}
