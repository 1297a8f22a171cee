import { setTimeout as pause } from 'node:timers/promises'

/**
 * Repeats `step` until stopped, without a pause after one that resolves to true: there is more to do. A step that fails goes to
 * `onError`, and is tried again after a pause. `stop` waits for the step that is under way, which `signal` asks to be brief.
 */
export function repeatUntilStopped(
  step: (signal: AbortSignal) => Promise<boolean>,
  { pauseMs, onError }: { pauseMs: number; onError: (error: unknown) => void },
): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const run = async () => {
    while (!signal.aborted) {
      const hasMore = await step(signal).catch((error: unknown) => {
        onError(error)
        return false
      })
      if (!hasMore) await pause(pauseMs, undefined, { signal }).catch(() => undefined)
    }
  }
  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
