import { useEffect, useState } from 'react'
import { AppState } from 'react-native'
import { push } from './push'

/** Whether this phone lets push messages through to who agreed to them; true until it says that it does not. */
export function usePushAllowed(isAgreed: boolean): boolean {
  const [isAllowed, setAllowed] = useState(true)
  useEffect(() => {
    if (!isAgreed) return undefined
    let isCurrent = true
    const ask = () => void push.granted().then((token) => isCurrent && setAllowed(token !== undefined))
    ask()
    // They may have been allowed in the phone's settings meanwhile.
    const changes = AppState.addEventListener('change', (state) => state === 'active' && ask())
    return () => {
      isCurrent = false
      changes.remove()
    }
  }, [isAgreed])
  return !isAgreed || isAllowed
}
