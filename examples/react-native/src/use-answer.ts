import { safe } from '@companion/sdk'
import type { CallOptions } from '@companion/sdk'
import { useCallback, useEffect, useRef, useState } from 'react'

/**
 * Calls the service when the component appears, when `ask` changes and after `askAgain()`, and aborts a call whose answer
 * nobody needs any more. The previous answer stays when asking again fails.
 */
export function useAnswer<Answer>(ask: (options: CallOptions) => Promise<Answer>) {
  const [known, setKnown] = useState<{
    ask?: typeof ask
    answer?: Answer | undefined
    error?: Error | undefined
  }>({})
  const call = useRef<AbortController>(undefined)
  // The answer to another question, such as another child's chart, is not shown for this one.
  const { answer, error } = known.ask === ask ? known : {}
  /** Resolves when the call has ended, with an answer or without. */
  const askAgain = useCallback(async () => {
    call.current?.abort()
    const { signal } = (call.current = new AbortController())
    const [answer, error] = await safe(ask({ signal }))
    if (signal.aborted) return
    setKnown((before) => ({
      ask,
      answer: answer ?? (before.ask === ask ? before.answer : undefined),
      error,
    }))
  }, [ask])
  useEffect(() => {
    void askAgain()
    return () => call.current?.abort()
  }, [askAgain])
  return { answer, error, askAgain }
}
