import { useNavigation, usePreventRemove } from '@react-navigation/native'
import type { NavigationAction } from '@react-navigation/native'
import { useEffect, useState } from 'react'
import { Platform } from 'react-native'
import { LeaveQuestion } from './leave-question'

/** Asks before the user leaves a screen with unsaved text. `leave` goes back without asking. */
export function useLeave(isDirty: boolean) {
  const navigation = useNavigation()
  const [isDone, setDone] = useState(false)
  const [held, hold] = useState<NavigationAction>()
  const isHeld = isDirty && !isDone
  usePreventRemove(isHeld, ({ data }) => hold(data.action))
  useEffect(() => {
    if (isDone) navigation.goBack()
  }, [isDone, navigation])
  useEffect(() => {
    if (Platform.OS !== 'web' || !isHeld) return undefined
    // Before the page is left, the browser asks in its own words.
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isHeld])
  return {
    leave: () => setDone(true),
    question: held ? (
      <LeaveQuestion onStay={() => hold(undefined)} onLeave={() => navigation.dispatch(held)} />
    ) : null,
  }
}
