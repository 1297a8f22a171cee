import { once } from 'node:events'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import pLimit from 'p-limit'
import { Failure } from '../errors/failure.ts'
import { generic } from '../errors/generic.ts'
import type { Order } from './write-workbook.ts'

/** More threads would take the processor from those who answer requests, and more memory. */
const MOST_THREADS = Math.min(2, availableParallelism())
const LONGEST_QUEUE = 100
/** An idle thread gives its memory back. */
const IDLE_MS = 30_000

/** Where a workbook is written row by row; `rows` resolves when there is room for more. */
export interface WorkbookSink {
  rows(pass: 1 | 2, lines: string): Promise<void>
}

/** A workbook that is complete on disk, until `discard`. */
export interface Workbook {
  path: string
  size: number
  discard: () => Promise<void>
}

class WorkbookThread {
  readonly #worker = new Worker(new URL('./write-workbook.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 2 },
  })
  #idle: NodeJS.Timeout | undefined

  constructor() {
    // Whoever waits for an answer learns of it by `once`; the process must not end by it.
    this.#worker.on('error', () => {})
    this.#worker.unref()
  }

  async tell(order: Order): Promise<void> {
    this.#worker.postMessage(order)
    const exit = new AbortController()
    const [answer] = await Promise.race([
      once(this.#worker, 'message', { signal: exit.signal }),
      once(this.#worker, 'exit', { signal: exit.signal }).then(() => {
        throw new Error('The thread that writes workbooks has ended')
      }),
    ]).finally(() => exit.abort())
    if (answer.error) throw answer.error
  }

  rest(whenTired: () => void): void {
    this.#idle = setTimeout(whenTired, IDLE_MS).unref()
  }

  wake(): void {
    clearTimeout(this.#idle)
  }

  end(): void {
    void this.#worker.terminate()
  }
}

const resting: WorkbookThread[] = []
const queue = pLimit(MOST_THREADS)

/**
 * Writes a workbook of usage logs off the event loop; at most two at a time, the others wait. `fill` gives the rows of
 * both passes; `about` is said on the last sheet.
 */
export function writeWorkbook(
  about: [name: string, value: string][],
  fill: (sink: WorkbookSink) => Promise<void>,
): Promise<Workbook> {
  if (queue.pendingCount >= LONGEST_QUEUE) {
    throw new Failure(...generic.tooMany, { headers: { 'retry-after': '30' } })
  }
  return queue(async () => {
    const directory = await mkdtemp(join(tmpdir(), 'companion-export-'))
    const path = join(directory, 'workbook.xlsx')
    const discard = () => rm(directory, { recursive: true, force: true })
    const thread = resting.pop() ?? new WorkbookThread()
    thread.wake()
    try {
      await thread.tell({ order: 'open', path })
      await fill({ rows: (pass, lines) => thread.tell({ order: 'rows', pass, lines }) })
      await thread.tell({ order: 'close', about })
      const { size } = await stat(path)
      resting.push(thread)
      thread.rest(() => {
        resting.splice(resting.indexOf(thread), 1)
        thread.end()
      })
      return { path, size, discard }
    } catch (error) {
      // Its state is not known: the next one starts afresh.
      thread.end()
      await discard()
      throw error
    }
  })
}
