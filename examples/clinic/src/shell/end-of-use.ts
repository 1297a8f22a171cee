import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'

/** After this long, somebody else may sit before the screen. */
const IDLE_MS = 20 * 60_000
const SIGNS = ['keydown', 'pointerdown', 'pointermove', 'wheel'] as const

/** When somebody last used a tab of the application, in milliseconds of the Unix time. */
const KEY = 'clinic.used-at'
const NOTED_EACH_MS = 5_000

/** Why a session that is still in the storage must end: nobody has used it for 20 minutes, or a tab has begun to sign out. */
export type EndOfUse = 'idle' | 'signing out'

function endOfUse(): EndOfUse | undefined {
  const usedAt = localStorage.getItem(KEY)
  if (usedAt === null) return 'signing out'
  return Date.now() - Number(usedAt) >= IDLE_MS ? 'idle' : undefined
}

const noteUse = () => localStorage.setItem(KEY, String(Date.now()))

/** Tells all tabs, and pages that are loaded while the service has not answered yet, that the user signs out. */
export const noteSignOut = () => localStorage.removeItem(KEY)

/**
 * Starts a session, which must not end at once for the idle time before it. If `start` fails, that time counts as before: an idle
 * session of somebody else may still be in the storage.
 */
export async function startSession(start: () => Promise<unknown>): Promise<void> {
  const usedAt = localStorage.getItem(KEY)
  // First, as the pages of all tabs look at it once the session is there.
  noteUse()
  try {
    await start()
  } catch (error) {
    if (usedAt === null) noteSignOut()
    else localStorage.setItem(KEY, usedAt)
    throw error
  }
}

function onStorage(listener: () => void) {
  addEventListener('storage', listener)
  return () => removeEventListener('storage', listener)
}

/** Whether another tab, or a page before this one, has begun to sign out. */
export const useIsSigningOut = () => useSyncExternalStore(onStorage, () => endOfUse() === 'signing out')

/**
 * Calls `onEnd` if nobody has used any tab of the application for 20 minutes, also while it was closed; and if a sign-out has not come
 * to its end, because its page was closed.
 */
export function useEndOfUse(onEnd: (why: EndOfUse) => void): void {
  const end = useEffectEvent(onEnd)
  useEffect(() => {
    let notedAt = 0
    const judge = () => {
      const why = endOfUse()
      if (why) end(why)
    }
    const note = () => {
      const now = Date.now()
      // A pointer moves many times a second.
      if (now - notedAt < NOTED_EACH_MS) return
      notedAt = now
      const why = endOfUse()
      if (why === undefined) noteUse()
      // Somebody else may have woken the computer, or opened the browser again. The tab that signs out tells the service itself.
      else if (why === 'idle') end(why)
    }
    judge()
    note()
    for (const sign of SIGNS) addEventListener(sign, note, { passive: true })
    // A timer of that length would stand still while the computer sleeps.
    const timer = setInterval(judge, 15_000)
    return () => {
      clearInterval(timer)
      for (const sign of SIGNS) removeEventListener(sign, note)
    }
  }, [])
}
