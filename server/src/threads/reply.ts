import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { ThreadReply } from './threads.ts'

// The main thread, which answers requests, has priority. Only Linux sets the priority of a thread, not of the process.
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)

/** In a thread of `createThreads`: sends the outcome of `work` to the main thread. Bytes are transferred, not copied. */
export function reply<Output>(work: Promise<Output>): void {
  const send = (outcome: ThreadReply<Output>, bytes?: unknown) =>
    parentPort?.postMessage(outcome, bytes instanceof ArrayBuffer ? [bytes] : [])
  work.then(
    (result) => send({ result }, result instanceof Uint8Array && result.buffer),
    (error: unknown) => send({ error }),
  )
}
