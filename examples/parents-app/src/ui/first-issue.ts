import { createContext, use, useEffect, useMemo, useReducer, useRef, useState } from 'react'
import type { RefObject } from 'react'
import { AccessibilityInfo, Platform } from 'react-native'
import type { TextInput, View } from 'react-native'
import type { Reveal } from './reveal'

interface InvalidField {
  view: RefObject<View | null>
  input: RefObject<TextInput | null>
  says: string
}

interface Form {
  invalid: Set<InvalidField>
  /** Call this after the user tried to submit. */
  tried: () => void
}

export const FormContext = createContext<Form>({ invalid: new Set(), tried: () => {} })

/** For a page: after an attempt to submit, scrolls to the first field with an issue, focuses it and has it read out. */
export function useForm(reveal: Reveal): Form {
  const [invalid] = useState(() => new Set<InvalidField>())
  const [attempts, tried] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    const first = attempts > 0 ? firstOf(invalid) : undefined
    if (!first) return undefined
    if (first.view.current) reveal(first.view.current)
    // First the field that submitted has to lose the focus.
    const soon = setTimeout(() => first.input.current?.focus())
    if (Platform.OS === 'ios')
      AccessibilityInfo.announceForAccessibilityWithOptions(first.says, { queue: true })
    return () => clearTimeout(soon)
  }, [attempts, invalid, reveal])
  return useMemo(() => ({ invalid, tried }), [invalid])
}

/** The DOM's DOCUMENT_POSITION_FOLLOWING, which React Native uses too. */
const FOLLOWS = 4

function firstOf(invalid: ReadonlySet<InvalidField>): InvalidField | undefined {
  let first: InvalidField | undefined
  for (const field of invalid) {
    if (!field.view.current) continue
    const known = first?.view.current
    if (!known || field.view.current.compareDocumentPosition(known) & FOLLOWS) first = field
  }
  return first
}

/** For a field: refs for its view and its input, by which the page finds the issue. */
export function useIssueRefs(label: string, issue: string | undefined) {
  const { invalid } = use(FormContext)
  const view = useRef<View>(null)
  const input = useRef<TextInput>(null)
  useEffect(() => {
    if (issue === undefined) return undefined
    const field = { view, input, says: `${label}: ${issue}` }
    invalid.add(field)
    return () => {
      invalid.delete(field)
    }
  }, [invalid, label, issue])
  return { view, input }
}
