import { createContext, use, useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { Linking, Platform } from 'react-native'
import { invitationOf } from './invitation-code'

interface Pending {
  /** The code of an invitation that waits to be accepted. */
  code: string | undefined
  done: () => void
}

const PendingInvitation = createContext<Pending | null>(null)

/** Keeps the invitation whose link has opened the app until somebody is signed in. */
export function PendingInvitationProvider({ children }: { children: ReactNode }) {
  const [code, setCode] = useState<string>()
  useEffect(() => {
    const opened = (link: string | null) => {
      const found = link === null ? undefined : invitationOf(link)
      if (found === undefined) return
      setCode(found)
      // The code must not stay in the address, where a reload would open it once more.
      if (Platform.OS === 'web') window.history.replaceState(null, '', '/')
    }
    void Linking.getInitialURL().then(opened, () => undefined)
    const links = Linking.addEventListener('url', ({ url }) => opened(url))
    return () => links.remove()
  }, [])
  const pending = useMemo(() => ({ code, done: () => setCode(undefined) }), [code])
  return <PendingInvitation value={pending}>{children}</PendingInvitation>
}

export function usePendingInvitation(): Pending {
  const pending = use(PendingInvitation)
  if (!pending) throw new Error('PendingInvitationProvider is missing')
  return pending
}
