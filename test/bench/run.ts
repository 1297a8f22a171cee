/*
 * Measures the most important operations, in rounds that alternate with something to compare them with. The default is a
 * limit that no implementation can pass: a bare `node:http` server answers the same requests with the same SQL through
 * `pg` and does nothing else. With `--against` it is the service of another checkout of this project, on a database that
 * its own code has filled: the ratio then shows the cost of a change.
 *
 *   pnpm bench [--seconds 3] [--rounds 3] [--connections 16] [--only me,chart,insight,calendar,ingest,night,retries,export]
 *   pnpm bench --against ../companion-before --rounds 5
 *   MEMBERS=off pnpm bench --only ingest    (no child is shared, so that nobody is told of uploads)
 *   CLINIC=on pnpm bench --only ingest      (a clinic is connected with every child)
 *   CLINIC=on ACCOUNTS=2500 LAST_DAY=… pnpm bench --only clinic,chart    (its list, up to yesterday)
 *   ACCEPT_ENCODING=identity pnpm bench     (answers are not packed, as in versions that packed none)
 *
 * Prints medians of the rounds: requests per second, microseconds of processor time per request of the server and of
 * PostgreSQL (on Linux only), and ratios, of which more than 1 is better than the comparison. On a machine with other
 * load, the processor time says more than the requests per second.
 *
 * DATABASE_URL names a PostgreSQL in which databases may be created. Without it, the benchmark runs an embedded one.
 */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { openDatabase } from '@companion/server/database/database.ts'
import { openEmbeddedPostgres } from '@companion/server/embedded-postgres/open.ts'
import { SECRET, startCandidate } from './candidate.ts'
import type { Filled } from './candidate.ts'
import { measureInTurn } from './measure.ts'
import type { Candidate } from './measure.ts'
import { printHead, printRatios } from './ratios.ts'
import { LAST_DAY, workloads } from './workloads.ts'

const HERE = join(import.meta.dirname, '../..')

const { values: options } = parseArgs({
  options: {
    against: { type: 'string' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '16' },
    only: { type: 'string', default: 'me,chart,calendar,ingest,night,retries,export' },
  },
})
const plan = {
  rounds: Number(options.rounds),
  seconds: Number(options.seconds),
  connections: Number(options.connections),
}

const stops: (() => Promise<unknown>)[] = []
const directory = await mkdtemp(join(tmpdir(), 'companion-bench-'))
stops.push(() => rm(directory, { recursive: true, force: true }))

try {
  const url = process.env['DATABASE_URL'] ?? (await embeddedUrl())
  const ours = await filledDatabase(url, HERE)
  const { against } = options
  const reference = against === undefined ? ours : await filledDatabase(url, resolve(against))
  const pair = [
    against === undefined
      ? await start('limit', './limit.ts', reference)
      : await start(against, join(resolve(against), 'test/bench/serve.ts'), reference),
    await start('here', './serve.ts', ours),
  ] as const
  printHead()
  for (const name of options.only.split(',')) {
    const workload = workloads[name]
    if (!workload) throw new RangeError(`There is no workload ${name}`)
    printRatios(name, pair, await measureInTurn(pair, workload, plan))
  }
} finally {
  for (const stop of stops.toReversed()) await stop()
}

async function embeddedUrl(): Promise<string> {
  const settings = { max_wal_size: '8GB', shared_buffers: '1GB' }
  const embedded = await openEmbeddedPostgres({ directory, settings })
  stops.push(() => embedded.stop())
  return embedded.url
}

/** Creates a database, migrated and filled by the code of `checkout`. */
async function filledDatabase(server: string, checkout: string): Promise<Filled> {
  const name = `bench_${randomUUID().replaceAll('-', '')}`
  const run = async (sql: string) => {
    const admin = await openDatabase(server, { pool: 1 })
    await admin.pool.query(sql)
    await admin.close()
  }
  await run(`CREATE DATABASE ${name}`)
  stops.push(() => run(`DROP DATABASE ${name} WITH (FORCE)`))
  const url = Object.assign(new URL(server), { pathname: `/${name}` }).href
  process.stderr.write(`${checkout} loads 1,000,000 treatments …\n`)
  const { stdout } = await promisify(execFile)(process.execPath, [join(checkout, 'test/bench/load.ts')], {
    env: { ...process.env, DATABASE_URL: url, TOKEN_SECRET: SECRET, LAST_DAY },
    maxBuffer: 10_000_000,
  })
  return { url, data: JSON.parse(stdout) }
}

async function start(name: string, script: string, filled: Filled): Promise<Candidate> {
  const { stop, ...candidate } = await startCandidate(name, script, filled, directory)
  stops.push(stop)
  return candidate
}
