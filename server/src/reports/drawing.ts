import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import pLimit from 'p-limit'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import type { Report } from './report.ts'

declare module '../http/context.ts' {
  interface Context {
    /** The report as PDF. Throws 429 when too many are waiting. */
    drawReport: DrawReport
  }
}

export type DrawReport = (report: Report) => Promise<Uint8Array>

/** What a worker thread answers: the file, or why there is none. */
export type Drawn = { pdf: Uint8Array } | { error: unknown }

interface Bounds {
  workers: number
  /** How many reports may wait for a worker. */
  waiting: number
  /** How long one report may take to draw. */
  milliseconds: number
  megabytes: number
  /** How long a worker without work keeps its fonts in memory. */
  idleMilliseconds: number
  script: URL
}

const BOUNDS: Bounds = {
  // One core stays free for everyone else.
  workers: Math.max(1, Math.min(2, availableParallelism() - 1)),
  waiting: 40,
  milliseconds: 30_000,
  megabytes: 256,
  idleMilliseconds: 60_000,
  script: new URL('draw-worker.ts', import.meta.url),
}

/** A worker without work, and the timer that will end it. */
interface Resting {
  worker: Worker
  timer: NodeJS.Timeout
}

/**
 * Draws reports on threads of their own, so that nobody else waits for a layout. A thread that takes too long or too
 * much memory is ended, and its report fails; the next one gets a new thread.
 */
export function createDrawing(bounds: Partial<Bounds> = {}): DrawReport {
  const { workers, waiting, milliseconds, megabytes, idleMilliseconds, script } = { ...BOUNDS, ...bounds }
  const resourceLimits = { maxOldGenerationSizeMb: megabytes }
  const queue = pLimit(workers)
  const resting: Resting[] = []

  async function draw(report: Report): Promise<Uint8Array> {
    const rested = resting.pop()
    const worker = rested ? wake(rested) : new Worker(script, { resourceLimits })
    try {
      const pdf = await answerOf(worker, report, milliseconds)
      rest(worker)
      return pdf
    } catch (error) {
      end(worker)
      throw error
    }
  }

  function rest(worker: Worker): void {
    const retire = () => {
      resting.splice(resting.indexOf(entry), 1)
      end(wake(entry))
    }
    const entry = { worker, timer: setTimeout(retire, idleMilliseconds).unref() }
    worker.once('error', retire).once('exit', retire).unref()
    resting.push(entry)
  }

  return async (report) => {
    if (queue.activeCount + queue.pendingCount >= workers + waiting) {
      throw new Failure(...generic.tooMany, { headers: { 'retry-after': '10' } })
    }
    return queue(() => draw(report))
  }
}

async function answerOf(worker: Worker, report: Report, milliseconds: number): Promise<Uint8Array> {
  worker.ref()
  let timer: NodeJS.Timeout | undefined
  const answer = new Promise<Uint8Array>((resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`A report took longer than ${milliseconds} ms`)), milliseconds)
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('A report ended its thread')))
    worker.once('message', (drawn: Drawn) => ('error' in drawn ? reject(drawn.error) : resolve(drawn.pdf)))
  })
  worker.postMessage(report)
  return answer.finally(() => {
    clearTimeout(timer)
    forget(worker)
  })
}

function wake({ worker, timer }: Resting): Worker {
  clearTimeout(timer)
  return forget(worker)
}

/** Takes our listeners off; the worker has some of its own, without which it hears nothing any more. */
function forget(worker: Worker): Worker {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
  return worker
}

function end(worker: Worker): void {
  // What it throws while it ends concerns nobody any more.
  worker.on('error', () => {})
  void worker.terminate()
}
