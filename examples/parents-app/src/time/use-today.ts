import { useEffect, useState } from 'react'
import { AppState } from 'react-native'
import { today, untilMidnight } from './dates'
import type { CalendarDate } from './dates'

/** Today's date. It changes at midnight, and when the app comes back on another day. */
export function useToday(): CalendarDate {
  const [date, setDate] = useState(() => today())
  useEffect(() => {
    let midnight: ReturnType<typeof setTimeout>
    const look = () => {
      setDate(today())
      clearTimeout(midnight)
      midnight = setTimeout(look, untilMidnight())
    }
    look()
    // Timers stop while the phone sleeps.
    const changes = AppState.addEventListener('change', (state) => state === 'active' && look())
    return () => {
      clearTimeout(midnight)
      changes.remove()
    }
  }, [])
  return date
}
