import { createContext, use, useEffect, useMemo, useReducer, useRef, useState } from 'react'
import type { RefObject } from 'react'
import { AccessibilityInfo, Platform } from 'react-native'
import type { TextInput, View } from 'react-native'
import type { Reveal } from './reveal'

interface Faulty {
  view: RefObject<View | null>
  input: RefObject<TextInput | null>
  says: string
}

interface Form {
  faulty: Set<Faulty>
  /** Call this after the user tried to submit. */
  tried: () => void
}

export const FormContext = createContext<Form>({ faulty: new Set(), tried: () => {} })

/** For a page: after an attempt to submit, scrolls to the first field with a fault, focuses it and has it read out. */
export function useForm(reveal: Reveal): Form {
  const [faulty] = useState(() => new Set<Faulty>())
  const [tries, tried] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const first = tries > 0 ? firstOf(faulty) : undefined
    if (!first) return undefined
    if (first.view.current) reveal(first.view.current)
    // First the field that submitted has to lose the focus.
    const soon = setTimeout(() => first.input.current?.focus())
    if (Platform.OS === 'ios')
      AccessibilityInfo.announceForAccessibilityWithOptions(first.says, { queue: true })
    return () => clearTimeout(soon)
  }, [tries, faulty, reveal])
  return useMemo(() => ({ faulty, tried }), [faulty])
}

/** The DOM's DOCUMENT_POSITION_FOLLOWING, which React Native uses too. */
const FOLLOWS = 4

function firstOf(faulty: ReadonlySet<Faulty>): Faulty | undefined {
  let first: Faulty | undefined
  for (const field of faulty) {
    if (!field.view.current) continue
    const known = first?.view.current
    if (!known || field.view.current.compareDocumentPosition(known) & FOLLOWS) first = field
  }
  return first
}

/** For a field: refs for its view and its input, by which the page finds the fault. */
export function useFault(label: string, fault: string | undefined) {
  const { faulty } = use(FormContext)
  const view = useRef<View>(null)
  const input = useRef<TextInput>(null)
  useEffect(() => {
    if (fault === undefined) return undefined
    const field = { view, input, says: `${label}: ${fault}` }
    faulty.add(field)
    return () => {
      faulty.delete(field)
    }
  }, [faulty, label, fault])
  return { view, input }
}
