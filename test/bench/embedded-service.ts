import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const READS = 1000

/** This checkout of the project. */
export const HERE = join(import.meta.dirname, '../..')

/**
 * Starts the service of a checkout like an operator does, on an embedded database whose data are thrown away, or on the
 * database that `environment` names.
 */
export async function startEmbeddedService(
  environment: Record<string, string> = {},
  { checkout = HERE, options = [] }: { checkout?: string; options?: readonly string[] } = {},
) {
  const directory = await mkdtemp(join(tmpdir(), 'companion-bench-'))
  const child = spawn(process.execPath, [join(checkout, 'server/src/main.ts'), 'serve', ...options], {
    env: { PATH: process.env['PATH'], PORT: '0', DATA_DIR: directory, RATE_LIMITS: 'off', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const printed: string[] = []
  const url = await new Promise<string>((resolve, reject) => {
    let isReady = false
    child.stdout.on('data', (chunk) => {
      printed.push(String(chunk))
      if (isReady) return
      const [, port] = /"port":(\d+)/.exec(printed.join('')) ?? []
      // Wait for the purge at start, the first task that needs the schema.
      isReady = port !== undefined && printed.join('').includes('purged')
      if (isReady) resolve(`http://127.0.0.1:${port}`)
    })
    child.once('exit', () => reject(new Error(`The service did not start: ${printed.join('')}`)))
  })
  return {
    url,
    directory,
    pid: child.pid ?? 0,
    /** Its log since it was started. */
    log: () => printed.join(''),
    async stop() {
      child.kill('SIGTERM')
      await exited
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Number of bytes of a response. */
export async function get(url: string, token: string): Promise<number> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  const { byteLength } = await response.arrayBuffer()
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  return byteLength
}

/** The 99th percentile in milliseconds of reads, sent one after the other until `isOver`. */
export async function p99Of(
  url: string,
  token: string,
  { isOver = (reads: number): boolean => reads === READS, pauseMs = 0 } = {},
): Promise<number> {
  const times: number[] = []
  while (!isOver(times.length)) {
    const started = performance.now()
    await get(url, token)
    times.push(performance.now() - started)
    if (pauseMs > 0) await pause(pauseMs)
  }
  return times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? 0
}

/** Keeps one of each of `works` running until stopped, then reports how many finished per second. */
export function keepBusy(works: readonly (() => Promise<unknown>)[]) {
  const started = performance.now()
  const stopping = new AbortController()
  let done = 0
  const all = Promise.all(
    works.map(async (work) => {
      while (!stopping.signal.aborted) {
        await work()
        done += 1
      }
    }),
  )
  return {
    async stop(): Promise<number> {
      stopping.abort()
      await all
      return (1000 * done) / (performance.now() - started)
    },
  }
}

/** Compares the p99 of reads while `works` run with the p99 of a quiet moment, and prints both. */
export async function compareRounds(
  rounds: number,
  read: () => Promise<number>,
  works: readonly (() => Promise<unknown>)[],
  describe: (aSecond: number) => string,
): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) {
    const quiet = await read()
    const load = keepBusy(works)
    const loaded = await read()
    const figures = [
      `quiet p99 ${quiet.toFixed(2)} ms`,
      `loaded p99 ${loaded.toFixed(2)} ms`,
      `ratio ${(loaded / quiet).toFixed(2)}`,
      describe(await load.stop()),
    ]
    process.stdout.write(`round ${round}: ${figures.join(', ')}\n`)
  }
}
