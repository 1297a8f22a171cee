import { safe } from '@companion/sdk'
import type { CallOptions } from '@companion/sdk'
import { useEffect, useReducer, useState } from 'react'

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
  const [attempt, askAgain] = useReducer((attempts: number) => attempts + 1, 0)
  // The answer to another question, such as another child's chart, is not shown for this one.
  const { answer, error } = known.ask === ask ? known : {}
  useEffect(() => {
    const call = new AbortController()
    const load = async () => {
      const [answer, error] = await safe(ask({ signal: call.signal }))
      if (call.signal.aborted) return
      setKnown((before) => ({
        ask,
        answer: answer ?? (before.ask === ask ? before.answer : undefined),
        error,
      }))
    }
    void load()
    return () => call.abort()
  }, [ask, attempt])
  return { answer, error, askAgain }
}
