import { setTimeout } from 'node:timers/promises'

/** Tries until it holds, for as long as a phone waits for anything. */
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
