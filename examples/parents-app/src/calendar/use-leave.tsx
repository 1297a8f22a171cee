import { useNavigation, usePreventRemove } from '@react-navigation/native'
import type { NavigationAction } from '@react-navigation/native'
import { useEffect, useState } from 'react'
import { Platform } from 'react-native'
import { LeaveQuestion } from './leave-question'

/** Asks before a screen is left on which something was typed; `leave` goes back without asking. */
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
    // A browser asks in words of its own before it leaves the page.
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
