import { useEffect, useSyncExternalStore } from 'react'
import { companion } from './client'

/** Whether somebody is signed in; undefined until the storage has been read. */
export function useIsSignedIn(): boolean | undefined {
  useEffect(() => void companion.session.current(), [])
  return useSyncExternalStore(companion.session.subscribe, companion.session.snapshot).isSignedIn
}
