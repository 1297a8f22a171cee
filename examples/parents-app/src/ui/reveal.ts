import { createContext, useContext, useEffect, useRef } from 'react'
import type { HostInstance, View } from 'react-native'

/** Scrolls a page until all of `view` can be seen. */
export type Reveal = (view: HostInstance) => void

export const RevealContext = createContext<Reveal>(() => {})

/** What is left free around what a page has scrolled to. */
const FREE = 16

/** Where a page that shows so much has to scroll to; undefined where all of it can be seen already. */
export function scrollTo(
  y: number,
  height: number,
  shown: { top: number; height: number },
): number | undefined {
  const top = Math.max(0, y - FREE)
  const bottom = y + height + FREE
  if (top >= shown.top && bottom <= shown.top + shown.height) return undefined
  return top < shown.top ? top : Math.min(top, bottom - shown.height)
}

/** A ref for a view that must be noticed: when it appears, its page scrolls to where it can be seen. */
export function useReveal(isWanted = true) {
  const reveal = useContext(RevealContext)
  const view = useRef<View>(null)
  useEffect(() => {
    if (isWanted && view.current) reveal(view.current)
  }, [isWanted, reveal])
  return view
}
