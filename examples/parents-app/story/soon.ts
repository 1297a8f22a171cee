import { setTimeout } from 'node:timers/promises'

/** Repeats the check until it passes, for at most 15 seconds, the time limit of the phone. */
export async function soon(check: () => Promise<void>): Promise<void> {
  const end = performance.now() + 15_000
  for (;;) {
    try {
      await check()
      return
    } catch (error) {
      if (performance.now() > end) throw error
    }
    await setTimeout(50)
  }
}
