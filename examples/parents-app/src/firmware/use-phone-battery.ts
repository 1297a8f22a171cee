import { BatteryState, getPowerStateAsync } from 'expo-battery'
import { useEffect, useState } from 'react'

/** From this battery on, a phone does not go off before an update is complete. */
const LEAST = 0.2
const MINUTE = 60_000

/** The battery of this phone, from 0 to 1, if it is low and the phone is not charged. */
export function useLowPhoneBattery(): number | undefined {
  const [low, setLow] = useState<number>()
  useEffect(() => {
    const look = () =>
      void getPowerStateAsync().then(
        ({ batteryLevel, batteryState }) =>
          setLow(
            // A level below 0 is unknown, as in browsers that do not tell.
            batteryState === BatteryState.UNPLUGGED && batteryLevel >= 0 && batteryLevel < LEAST
              ? batteryLevel
              : undefined,
          ),
        () => undefined,
      )
    look()
    const minutes = setInterval(look, MINUTE)
    return () => clearInterval(minutes)
  }, [])
  return low
}
