import { useEffect, useEffectEvent } from 'react'

/** After this long, somebody else may sit before the screen. */
const IDLE_MS = 20 * 60_000
const SIGNS = ['keydown', 'pointerdown', 'pointermove', 'wheel'] as const

/** When somebody last used a tab of the application, in milliseconds of the Unix time. */
const KEY = 'clinic.used-at'
const NOTED_EACH_MS = 5_000

/** Calls `onIdle` once nobody has used any tab of the application for 20 minutes. */
export function useIdle(onIdle: () => void): void {
  const idle = useEffectEvent(onIdle)
  useEffect(() => {
    let notedAt = 0
    const note = () => {
      const now = Date.now()
      // A pointer moves many times a second.
      if (now - notedAt < NOTED_EACH_MS) return
      notedAt = now
      // In the storage, a tab that has slept finds it too.
      localStorage.setItem(KEY, String(now))
    }
    note()
    for (const sign of SIGNS) addEventListener(sign, note, { passive: true })
    // A timer of that length would stand still while the computer sleeps.
    const timer = setInterval(() => {
      if (Date.now() - Number(localStorage.getItem(KEY)) >= IDLE_MS) idle()
    }, 15_000)
    return () => {
      clearInterval(timer)
      for (const sign of SIGNS) removeEventListener(sign, note)
    }
  }, [])
}
