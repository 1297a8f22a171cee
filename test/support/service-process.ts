import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { hasEnded } from './child-process.ts'
import { createClient } from './client.ts'
import type { Client } from './client.ts'
import { stretched } from './stretched-timers.ts'
import { until } from './until.ts'

/** What each process of this code gets from this one. Compiled by others, it starts in two thirds of the processor time. */
export const PROCESS_ENVIRONMENT = {
  PATH: process.env['PATH'],
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
}

/** The `companion` command of this code. */
export const MAIN = fileURLToPath(new URL('../../server/src/main.ts', import.meta.url))

export interface ServiceProcess extends Client {
  url: string
  pid: number
  /** The output of the process. */
  log: () => string
  outbox: () => Promise<Record<string, string>[]>
  /** Resolves to exit code or signal when the process has ended. */
  exited: Promise<number | string>
  /** Resolves when `/readyz` answers `status`. */
  readiness: (status: 200 | 503) => Promise<void>
  terminate: () => void
  /** Resolves when the process takes no new connections. */
  stopsListening: () => Promise<void>
  /** Kills the process and its embedded PostgreSQL with `kill -9`, as when a machine dies. */
  crash: () => Promise<void>
}

/** Starts the process of `companion serve` on a free port. It does not outlive this process. */
export function spawnService(
  dataDirectory: string,
  environment: Record<string, string> = {},
  options: readonly string[] = [],
  main = MAIN,
) {
  const child = spawn(process.execPath, [main, 'serve', ...options], {
    env: {
      ...PROCESS_ENVIRONMENT,
      PORT: '0',
      DATA_DIR: dataDirectory,
      RATE_LIMITS: 'off',
      PASSWORD_HASHING: 'fast',
      // The time after which a process that stops ends with 1.
      ...stretched(9500),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const stop = () => child.kill('SIGTERM')
  process.once('exit', stop)
  child.once('exit', () => process.off('exit', stop))
  return child
}

/** Runs `companion serve` as operators do, on a free port; resolves when it listens. */
export async function startServiceProcess(
  dataDirectory: string,
  environment: Record<string, string> = {},
  options: readonly string[] = [],
  main = MAIN,
): Promise<ServiceProcess> {
  const child = spawnService(dataDirectory, environment, options, main)
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += String(chunk)))
  const exited = once(child, 'exit').then(([code, signal]) => code ?? signal)
  const port = await until(() => {
    if (hasEnded(child)) throw new Error(`The service did not start: ${printed}`)
    return /"port":(\d+)/.exec(printed)?.[1]
  })
  const url = `http://127.0.0.1:${port}`
  return {
    ...createClient(url),
    url,
    pid: child.pid ?? 0,
    log: () => printed,
    outbox: async () =>
      (await readFile(join(dataDirectory, 'outbox.jsonl'), 'utf8'))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    exited,
    async readiness(status) {
      await until(async () => (await fetch(`${url}/readyz`)).status === status)
    },
    terminate: () => void child.kill('SIGTERM'),
    async stopsListening() {
      const isRefused = () =>
        fetch(`${url}/healthz`).then(
          () => false,
          () => true,
        )
      await until(isRefused)
    },
    async crash() {
      const { pid } = await embeddedPostgres(dataDirectory)
      const backends = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
      for (const each of [child.pid, pid, ...backends.split(' ').filter(Boolean).map(Number)]) {
        if (each) killHard(each)
      }
      await exited
    },
  }
}

/** Whether a process runs. A process that has ended and whose parent has not waited for it does not. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

/** Runs the operator's command line beside the services of a data directory. Resolves to its output. */
export async function companion(dataDirectory: string, args: string[]): Promise<string> {
  const env = { ...PROCESS_ENVIRONMENT, DATA_DIR: dataDirectory }
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args], { env })
  return stdout
}

/** The embedded PostgreSQL that runs under a data directory. */
export async function embeddedPostgres(dataDirectory: string): Promise<{ pid: number; url: string }> {
  const [pid, , , port] = (
    await readFile(join(dataDirectory, 'postgres', 'data', 'postmaster.pid'), 'utf8')
  ).split('\n')
  const password = (await readFile(join(dataDirectory, 'postgres', 'password'), 'utf8')).trim()
  return { pid: Number(pid), url: `postgres://companion:${password}@127.0.0.1:${port}/companion` }
}
