import { setTimeout as pause } from 'node:timers/promises'

/** Looks again and again until there is something to see; how long that may take, the time of the test says. */
export async function until<Seen>(look: () => Seen | Promise<Seen>): Promise<NonNullable<Seen>> {
  for (;;) {
    const seen = await look()
    if (seen) return seen
    await pause(10)
  }
}
