import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { ResourceLimits } from 'node:worker_threads'
import pLimit from 'p-limit'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'

/** Without this cache, each thread would strip types itself and load the 15 MB of code that does so. */
const NODE_COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/companion', import.meta.url))

/**
 * Leaves one core free for other requests: while two threads worked on two cores, `user/me` took five times as long.
 */
export const DEFAULT_THREADS = Math.max(1, Math.min(2, availableParallelism() - 1))

/** The reply of a thread to each message; see reply.ts. */
export type ThreadReply<Output> = { result: Output } | { error: unknown }

export interface ThreadPoolOptions {
  /** The script that each thread runs. */
  script: URL
  threads: number
  /** The maximum number of jobs that wait for a thread, and of those of one party; by default as many. */
  waiting: number
  waitingOfOneParty?: number
  /** How long a job may wait; by default without limit. */
  waitingMs?: number
  /** The `Retry-After` of an error. */
  retryAfterSeconds: number
  /** The time limit of a thread for one response. */
  timeoutMs: number
  /** How long an idle thread is kept. */
  idleMs: number
  resourceLimits: ResourceLimits
}

/**
 * Runs `work` with exclusive use of one thread. Throws 429 if too many jobs are waiting, of all callers or of `party`, or
 * if the job has waited too long.
 */
export type RunOnThread<Message, Output> = <Result>(
  work: (ask: (message: Message) => Promise<Output>) => Promise<Result>,
  party?: string,
) => Promise<Result>

/**
 * Creates a pool of threads for work that would block the event loop. Threads start as needed and are reused. A thread
 * that fails, takes too long or needs too much memory is terminated, and only its own job fails.
 */
export function createThreads<Message, Output>({
  script,
  threads,
  waiting,
  waitingOfOneParty = waiting,
  waitingMs,
  retryAfterSeconds,
  timeoutMs: answerMs,
  idleMs,
  resourceLimits,
}: ThreadPoolOptions): RunOnThread<Message, Output> {
  const queue = pLimit(threads)
  const parties = new Map<string, number>()
  const resting: { worker: Worker; retirement: NodeJS.Timeout }[] = []

  function wake(): Worker {
    const rested = resting.pop()
    clearTimeout(rested?.retirement)
    return rested?.worker ?? start()
  }

  function start(): Worker {
    const worker = new Worker(script, { resourceLimits, env: { NODE_COMPILE_CACHE, ...process.env } })
    // `ask` reports the error to the caller. The error must not end the process, and the worker must not keep it alive.
    worker.on('error', () => {}).on('exit', () => forget(worker))
    worker.unref()
    return worker
  }

  function rest(worker: Worker): void {
    const retire = () => {
      forget(worker)
      void worker.terminate()
    }
    const retirement = setTimeout(retire, idleMs).unref()
    resting.push({ worker, retirement })
  }

  function forget(worker: Worker): void {
    const place = resting.findIndex((rested) => rested.worker === worker)
    if (place >= 0) resting.splice(place, 1)
  }

  async function ask(worker: Worker, message: Message): Promise<Output> {
    const settled = new AbortController()
    const { signal } = settled
    worker.postMessage(message)
    const [reply]: ThreadReply<Output>[] = await Promise.race([
      once(worker, 'message', { signal }),
      once(worker, 'exit', { signal }).then(() => {
        throw new Error('A thread has ended in the middle of its work')
      }),
      pause(answerMs, undefined, { signal }).then(() => {
        throw new Error(`A thread took longer than ${answerMs} ms`)
      }),
    ]).finally(() => settled.abort())
    if (reply && 'result' in reply) return reply.result
    throw reply?.error
  }

  const tooMany = () =>
    new Failure(...generic.tooMany, { headers: { 'retry-after': String(retryAfterSeconds) } })

  return async (work, party = '') => {
    const waitingOf = parties.get(party) ?? 0
    const ahead = queue.activeCount + queue.pendingCount
    if (ahead >= threads + waiting || (ahead >= threads && waitingOf >= waitingOfOneParty)) throw tooMany()
    const waits = ahead >= threads
    if (waits) parties.set(party, waitingOf + 1)
    const turn = Promise.withResolvers<boolean>()
    const timeout = waitingMs === undefined ? undefined : setTimeout(turn.resolve, waitingMs, false).unref()
    const leaveQueue = () => {
      clearTimeout(timeout)
      if (!waits) return
      const left = (parties.get(party) ?? 1) - 1
      if (left > 0) parties.set(party, left)
      else parties.delete(party)
    }
    const done = Promise.withResolvers<void>()
    void queue(() => {
      turn.resolve(true)
      return done.promise
    })
    try {
      const isMine = await turn.promise
      leaveQueue()
      if (!isMine) throw tooMany()
      const worker = wake()
      try {
        const result = await work((message) => ask(worker, message))
        rest(worker)
        return result
      } catch (error) {
        // The thread's state is unknown, and it may write to memory lent to it until it is gone.
        await worker.terminate()
        throw error
      }
    } finally {
      done.resolve()
    }
  }
}
