import type { SignedOutReason } from '@companion/sdk'
import { createContext, use, useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { responseCache } from '../companion/response-cache'
import { companion, whenSignedOut } from '../companion/client'
import { reports } from '../report/reports'

export type SessionState =
  | { status: 'unknown' }
  | { status: 'in' }
  /** The reason is known if the session ended while the app was running. */
  | { status: 'out'; reason?: SignedOutReason }

interface SessionContext {
  state: SessionState
  /** Call this after the SDK has signed in. */
  entered: () => void
}

const Sessions = createContext<SessionContext | null>(null)

async function readSession(): Promise<SessionState> {
  const account = await signedIn()
  if (account === undefined) {
    await forgetAll()
    return { status: 'out' }
  }
  await responseCache.keep(account)
  // While the kept responses were read, the session may have ended and another may have started.
  return (await signedIn()) === account ? { status: 'in' } : readSession()
}

const signedIn = async () => (await companion.session.current().catch(() => undefined))?.root_user_id

/** Deletes what this phone keeps of the family. */
const forgetAll = () => Promise.all([responseCache.forget(), reports.forget()])

/** Follows the session of the SDK, which alone decides who is signed in. */
export function SessionProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState<SessionState>({ status: 'unknown' })
  const follow = () =>
    // An unchanged status keeps the reason why the session ended.
    void readSession().then((next) => setState((now) => (now.status === next.status ? now : next)))
  useEffect(() => {
    follow()
    return whenSignedOut((reason) => {
      void forgetAll()
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
