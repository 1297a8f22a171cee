import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type * as Pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { openEmbeddedPostgres } from '@companion/server/embedded-postgres/open.ts'
import type { EmbeddedPostgres, EmbeddedPostgresOptions } from '@companion/server/embedded-postgres/open.ts'
import { hasEnded } from '../child-process.ts'

const require = createRequire(import.meta.url)
export const pg: typeof Pg = createRequire(require.resolve('@mikro-orm/postgresql'))('pg')

export interface Opened {
  url: string
  pid: number
}

function readOpened(json: string): Opened {
  const { url, pid }: { url?: unknown; pid?: unknown } = JSON.parse(json)
  if (typeof url !== 'string' || typeof pid !== 'number') throw new Error(`no opened database: ${json}`)
  return { url, pid }
}

interface Bench {
  /** A directory of this test, which any account can enter. */
  root: string
  /** Where this test's PostgreSQL lives. */
  directory: string
  /** Opens it in this process. */
  open(options?: Omit<EmbeddedPostgresOptions, 'directory'>): Promise<EmbeddedPostgres>
  opened: EmbeddedPostgres[]
  children: ChildProcess[]
  /** Backends that a test has suspended. */
  suspended: number[]
}

/** Gives each test of a file a place of its own, and clears away what it leaves running. */
export function useBench(): Bench {
  const bench: Bench = {
    root: '',
    directory: '',
    opened: [],
    children: [],
    suspended: [],
    async open(options) {
      const database = await openEmbeddedPostgres({ ...options, directory: bench.directory })
      bench.opened.push(database)
      return database
    },
  }
  beforeEach(async () => {
    bench.root = await makeRoot()
    bench.directory = join(bench.root, 'database')
  })
  afterEach(async ({ task }) => {
    for (const pid of bench.suspended.splice(0)) resume(pid)
    for (const child of bench.children.splice(0)) await kill(child)
    for (const database of bench.opened.splice(0)) await database.stop()
    // The file may be gone before the server is; opening it waits for that.
    const failed = task.result?.state === 'fail'
    if (failed || existsSync(join(bench.directory, 'data', 'postmaster.pid')))
      await (await bench.open()).stop()
    await fs.rm(bench.root, { recursive: true, force: true, maxRetries: 5 })
  })
  return bench
}

/** Gives the tests of a file one cluster, which each finds stopped: initdb, or even a copy, takes a while. */
export function useCluster(bench: Bench): void {
  let root: string
  beforeAll(async () => {
    root = await makeRoot()
    await (await openEmbeddedPostgres({ directory: root })).stop()
  })
  beforeEach(() => {
    bench.directory = root
  })
  afterAll(() => fs.rm(root, { recursive: true, force: true, maxRetries: 5 }))
}

async function makeRoot(): Promise<string> {
  const root = await fs.mkdtemp(join(tmpdir(), 'embedded-postgres-'))
  await fs.chmod(root, 0o755)
  return root
}

/** Runs a process that opens the database, tells of it, and ends of its own accord after a SIGTERM. */
export function serve(
  bench: Bench,
  options: object = {},
  from = fileURLToPath(new URL('../../../server/src/embedded-postgres/open.ts', import.meta.url)),
): { child: ChildProcess; opened: Promise<Opened> } {
  const program = `
    import { openEmbeddedPostgres } from ${JSON.stringify(from)}
    process.on('SIGINT', () => {})
    const database = await openEmbeddedPostgres({ directory: ${JSON.stringify(bench.directory)} })
    const alive = setInterval(() => {}, 1000)
    process.once('SIGTERM', () => database.stop().then(() => clearInterval(alive)))
    console.log(JSON.stringify(database))`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: '/',
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  bench.children.push(child)
  const line = once(createInterface(child.stdout), 'line')
  const ended = once(child, 'exit').then(() => {
    throw new Error('the process ended before it had opened')
  })
  const opened = Promise.race([line, ended]).then(([json]) => readOpened(String(json)))
  opened.catch(() => {})
  ended.catch(() => {})
  return { child, opened }
}

export async function kill(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** Asks a process to leave; returns its exit code and signal. */
export async function terminate(child: ChildProcess): Promise<unknown[]> {
  child.kill('SIGTERM')
  return await once(child, 'exit')
}

export async function query(url: string, sql: string): Promise<unknown[][]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<unknown[]>({ text: sql, rowMode: 'array' })).rows
  } finally {
    await client.end()
  }
}

export async function value(url: string, expression: string): Promise<unknown> {
  return (await query(url, `SELECT ${expression}`))[0]?.[0]
}

/** Waits until a process that was killed is gone. */
export async function ended(pid: number): Promise<void> {
  while (isAlive(pid)) await sleep(20)
}

/** Connects, and suspends the backend that serves the connection: as a disk does that does not answer. */
export async function suspendBackend(bench: Bench, url: string): Promise<{ resume: () => void }> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const pid = rows[0]?.pid ?? Number.NaN
  bench.suspended.push(pid)
  process.kill(pid, 'SIGSTOP')
  return { resume: () => resume(pid) }
}

function resume(pid: number): void {
  if (isAlive(pid)) process.kill(pid, 'SIGCONT')
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // Where process 1 does not collect orphans (as in many containers), an ended one stays a zombie for ever.
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
