import { safe } from '@companion/sdk'
import type { CallOptions } from '@companion/sdk'
import { useCallback, useEffect, useRef, useState } from 'react'

/**
 * Calls the service when the component appears, when `ask` changes and after `askAgain()`, and aborts a call whose response
 * nobody needs any more. The previous answer stays when asking again fails.
 */
export function useResponse<Output>(ask: (options: CallOptions) => Promise<Output>) {
  const [known, setKnown] = useState<{
    ask?: typeof ask
    response?: Output | undefined
    error?: Error | undefined
  }>({})
  const call = useRef<AbortController>(undefined)
  // The response to another question, such as another child's chart, is not shown for this one.
  const { response, error } = known.ask === ask ? known : {}
  /** Resolves when the call has ended, with a response or without. */
  const askAgain = useCallback(async () => {
    call.current?.abort()
    const { signal } = (call.current = new AbortController())
    const [response, error] = await safe(ask({ signal }))
    if (signal.aborted) return
    setKnown((before) => ({
      ask,
      response: response ?? (before.ask === ask ? before.response : undefined),
      error,
    }))
  }, [ask])
  useEffect(() => {
    void askAgain()
    return () => call.current?.abort()
  }, [askAgain])
  return { response, error, askAgain }
}
