import { focusManager, onlineManager } from '@tanstack/react-query'
import { useEffect } from 'react'
import { AppState, Platform } from 'react-native'
import { companion } from './client'
import { retryOfflineQueries } from './query-client'

/** The outbox and failed queries try again when the app comes to the foreground or the browser is online again. */
export function useForeground() {
  useEffect(() => {
    const tryAgain = () => {
      void companion.outbox.send()
      retryOfflineQueries()
    }
    const changes = AppState.addEventListener('change', (state) => {
      // In browsers, the query client notices by itself.
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
