import { useEffect, useSyncExternalStore } from 'react'
import type { SessionSnapshot } from '@companion/sdk'
import { companion } from './client'

/** Whether somebody is signed in, and who; undefined until the storage has been read. */
export function useSession(): SessionSnapshot {
  useEffect(() => void companion.session.current(), [])
  return useSyncExternalStore(companion.session.subscribe, companion.session.snapshot)
}
