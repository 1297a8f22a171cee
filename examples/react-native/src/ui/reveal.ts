import { createContext, useContext, useEffect, useRef } from 'react'
import type { View } from 'react-native'

/** Scrolls a page until all of `view` can be seen. */
export type Reveal = (view: View) => void

export const RevealContext = createContext<Reveal>(() => {})

/** A ref for a view that must be noticed: when it appears, its page scrolls to where it can be seen. */
export function useReveal(isWanted = true) {
  const reveal = useContext(RevealContext)
  const view = useRef<View>(null)
  useEffect(() => {
    if (isWanted && view.current) reveal(view.current)
  }, [isWanted, reveal])
  return view
}
