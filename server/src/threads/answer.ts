import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { Reply } from './threads.ts'

// Whoever answers requests comes first. Elsewhere than on Linux a priority belongs to the process, not to the thread.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)

/** What one of `createThreads` makes of a message. Bytes are handed over, not copied. */
export function answer<Answer>(work: Promise<Answer>): void {
  const reply = (answered: Reply<Answer>, bytes?: unknown) =>
    parentPort?.postMessage(answered, bytes instanceof ArrayBuffer ? [bytes] : [])
  work.then(
    (result) => reply({ answer: result }, result instanceof Uint8Array && result.buffer),
    (error: unknown) => reply({ error }),
  )
}
