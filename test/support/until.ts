import { setTimeout as pause } from 'node:timers/promises'

/** Looks again until there is something to see. The time limit of the test bounds the wait. */
export async function until<Seen>(look: () => Seen | Promise<Seen>): Promise<NonNullable<Seen>> {
  for (;;) {
    const seen = await look()
    if (seen) return seen
    await pause(10)
  }
}
