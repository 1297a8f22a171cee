import { activateKeepAwakeAsync, deactivateKeepAwake } from 'expo-keep-awake'
import { useEffect } from 'react'

const TAG = 'update of a device'

/** Keeps the phone from locking itself, which would stop the app. Where that is not possible, the parent keeps it awake. */
export function useAwake(isWanted: boolean) {
  useEffect(() => {
    if (!isWanted) return undefined
    const asked = activateKeepAwakeAsync(TAG).catch(() => undefined)
    return () => void asked.then(() => deactivateKeepAwake(TAG)).catch(() => undefined)
  }, [isWanted])
}
