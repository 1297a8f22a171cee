import { useEffect, useState } from 'react'
import { AppState } from 'react-native'
import { push } from './push'

/** Whether this phone shows push messages to a user who agreed to them. True until the phone says otherwise. */
export function usePushAllowed(isAgreed: boolean): boolean {
  const [isAllowed, setAllowed] = useState(true)
  useEffect(() => {
    if (!isAgreed) return undefined
    let isCurrent = true
    const ask = () => void push.granted().then((token) => isCurrent && setAllowed(token !== undefined))
    ask()
    // The user may have allowed them in the phone's settings.
    const changes = AppState.addEventListener('change', (state) => state === 'active' && ask())
    return () => {
      isCurrent = false
      changes.remove()
    }
  }, [isAgreed])
  return !isAgreed || isAllowed
}
