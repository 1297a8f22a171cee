import { useEffect, useEffectEvent } from 'react'

/** After this long, somebody else may sit before the screen. */
const IDLE_MS = 20 * 60_000
const SIGNS = ['keydown', 'pointerdown', 'pointermove', 'wheel'] as const

/** When somebody last used a tab of the application, in milliseconds of the Unix time. */
const KEY = 'clinic.used-at'
const NOTED_EACH_MS = 5_000

const isIdle = () => Date.now() - Number(localStorage.getItem(KEY)) >= IDLE_MS

const noteUse = () => localStorage.setItem(KEY, String(Date.now()))

/**
 * Starts a session, which must not end at once for the idle time before it. If `start` fails, that time counts as before: an idle
 * session of somebody else may still be in the storage.
 */
export async function startSession(start: () => Promise<unknown>): Promise<void> {
  const usedAt = localStorage.getItem(KEY) ?? ''
  // First, as the pages of all tabs look at it once the session is there.
  noteUse()
  try {
    await start()
  } catch (error) {
    localStorage.setItem(KEY, usedAt)
    throw error
  }
}

/** Calls `onIdle` if nobody has used any tab of the application for 20 minutes, also while it was closed. */
export function useIdle(onIdle: () => void): void {
  const idle = useEffectEvent(onIdle)
  useEffect(() => {
    let notedAt = 0
    const note = () => {
      const now = Date.now()
      // A pointer moves many times a second.
      if (now - notedAt < NOTED_EACH_MS) return
      notedAt = now
      // Somebody else may have woken the computer, or opened the browser again.
      if (isIdle()) idle()
      else noteUse()
    }
    note()
    for (const sign of SIGNS) addEventListener(sign, note, { passive: true })
    // A timer of that length would stand still while the computer sleeps.
    const timer = setInterval(() => {
      if (isIdle()) idle()
    }, 15_000)
    return () => {
      clearInterval(timer)
      for (const sign of SIGNS) removeEventListener(sign, note)
    }
  }, [])
}
