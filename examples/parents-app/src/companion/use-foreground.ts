import { focusManager, onlineManager } from '@tanstack/react-query'
import { useEffect } from 'react'
import { AppState, Platform } from 'react-native'
import { companion } from './client'
import { askAgain } from './query-client'

/** When somebody comes back to the app and when a browser is online again, the outbox and queries try again. */
export function useForeground() {
  useEffect(() => {
    const tryAgain = () => {
      void companion.outbox.send()
      askAgain()
    }
    const changes = AppState.addEventListener('change', (state) => {
      // Browsers tell queries by themselves.
      if (Platform.OS !== 'web') focusManager.setFocused(state === 'active')
      if (state === 'active') tryAgain()
    })
    const unsubscribe = onlineManager.subscribe((isOnline) => isOnline && tryAgain())
    return () => {
      changes.remove()
      unsubscribe()
    }
  }, [])
}
