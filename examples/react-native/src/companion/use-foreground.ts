import { focusManager } from '@tanstack/react-query'
import { useEffect } from 'react'
import { AppState, Platform } from 'react-native'
import { companion } from './client'

/** Whoever comes back to the app sees the last night, and the outbox tries again. Browsers tell queries by themselves. */
export function useForeground() {
  useEffect(() => {
    const changes = AppState.addEventListener('change', (state) => {
      if (Platform.OS !== 'web') focusManager.setFocused(state === 'active')
      if (state === 'active') void companion.outbox.send()
    })
    return () => changes.remove()
  }, [])
}
