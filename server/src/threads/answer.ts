import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { Reply } from './threads.ts'

// The main thread, which answers requests, has priority. Only Linux sets the priority of a thread, not of the process.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)

/** In a thread of `createThreads`: sends the outcome of `work` as the answer. Bytes are transferred, not copied. */
export function answer<Answer>(work: Promise<Answer>): void {
  const reply = (answered: Reply<Answer>, bytes?: unknown) =>
    parentPort?.postMessage(answered, bytes instanceof ArrayBuffer ? [bytes] : [])
  work.then(
    (result) => reply({ answer: result }, result instanceof Uint8Array && result.buffer),
    (error: unknown) => reply({ error }),
  )
}
