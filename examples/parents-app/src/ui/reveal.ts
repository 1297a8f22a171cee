import { createContext, useContext, useEffect, useRef } from 'react'
import type { HostInstance, View } from 'react-native'

/** Scrolls a page until all of `view` is visible. */
export type Reveal = (view: HostInstance) => void

export const RevealContext = createContext<Reveal>(() => {})

/** The margin around a view that a page has scrolled to. */
const FREE = 16

/** The position to which a page has to scroll; undefined if the view is already visible. */
export function scrollPositionFor(
  y: number,
  height: number,
  shown: { top: number; height: number },
): number | undefined {
  const top = Math.max(0, y - FREE)
  const bottom = y + height + FREE
  if (top >= shown.top && bottom <= shown.top + shown.height) return undefined
  return top < shown.top ? top : Math.min(top, bottom - shown.height)
}

/** A ref for a view that must be noticed. When the view appears, its page scrolls to it. */
export function useReveal(isWanted = true) {
  const reveal = useContext(RevealContext)
  const view = useRef<View>(null)
  useEffect(() => {
    if (isWanted && view.current) reveal(view.current)
  }, [isWanted, reveal])
  return view
}
