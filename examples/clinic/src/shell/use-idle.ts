import { useEffect, useEffectEvent } from 'react'

/** After this long, somebody else may sit before the screen. */
const IDLE_MS = 20 * 60_000
const SIGNS = ['keydown', 'pointerdown', 'pointermove', 'wheel'] as const

/** Calls `onIdle` once nobody has used the page for 20 minutes. */
export function useIdle(onIdle: () => void): void {
  const idle = useEffectEvent(onIdle)
  useEffect(() => {
    let usedAt = Date.now()
    const note = () => (usedAt = Date.now())
    for (const sign of SIGNS) addEventListener(sign, note, { passive: true })
    // A timer of that length would stand still while the computer sleeps.
    const timer = setInterval(() => {
      if (Date.now() - usedAt >= IDLE_MS) idle()
    }, 15_000)
    return () => {
      clearInterval(timer)
      for (const sign of SIGNS) removeEventListener(sign, note)
    }
  }, [])
}
