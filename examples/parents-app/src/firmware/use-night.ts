import { useEffect, useState } from 'react'
import { usePlans } from '../companion/queries'
import { wallClock } from '../time/dates'
import { isNightTime } from './night-time'

const MINUTE = 60_000

/** Whether a child may be asleep with the device; undefined until the plans are known. Without the service, no plan is. */
export function useNight(childId: number): boolean | undefined {
  const { data, isError } = usePlans(childId)
  const [now, setNow] = useState(() => wallClock(new Date()))
  useEffect(() => {
    const minutes = setInterval(() => setNow(wallClock(new Date())), MINUTE)
    return () => clearInterval(minutes)
  }, [])
  if (!data && !isError) return undefined
  return isNightTime(data?.plans ?? [], now)
}
