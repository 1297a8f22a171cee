import { createContext, use, useEffect, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { Linking, Platform } from 'react-native'
import { clinicCodeFromLink } from '../clinics/clinic-code'
import { invitationOf } from './invitation-code'

/** The code of an invitation, or of a clinic. */
interface OpenedLink {
  kind: 'invitation' | 'clinic'
  code: string
}

interface Pending {
  link: OpenedLink | undefined
  done: () => void
}

const PendingLink = createContext<Pending | null>(null)

function read(link: string): OpenedLink | undefined {
  const invitation = invitationOf(link)
  if (invitation !== undefined) return { kind: 'invitation', code: invitation }
  const clinic = clinicCodeFromLink(link)
  return clinic === undefined ? undefined : { kind: 'clinic', code: clinic }
}

/** Keeps what the link that has opened the app is about until somebody is signed in. */
export function PendingLinkProvider({ children }: { children: ReactNode }) {
  const [link, setLink] = useState<OpenedLink>()
  useEffect(() => {
    const opened = (url: string | null) => {
      const found = url === null ? undefined : read(url)
      if (found === undefined) return
      setLink(found)
      // The code must not stay in the address, where a reload would open it once more.
      if (Platform.OS === 'web') window.history.replaceState(null, '', '/')
    }
    void Linking.getInitialURL().then(opened, () => undefined)
    const links = Linking.addEventListener('url', ({ url }) => opened(url))
    return () => links.remove()
  }, [])
  const pending = useMemo(() => ({ link, done: () => setLink(undefined) }), [link])
  return <PendingLink value={pending}>{children}</PendingLink>
}

export function usePendingLink(): Pending {
  const pending = use(PendingLink)
  if (!pending) throw new Error('PendingLinkProvider is missing')
  return pending
}
