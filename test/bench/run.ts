/*
 * Measures the operations that matter most against a limit that no implementation can pass, both in the same
 * interleaved rounds: the same requests answered by a bare `node:http` server that runs the same SQL through `pg` and
 * does nothing else. Prints medians, and ratios to that limit; a machine that is busy with other things slows both.
 *
 *   pnpm bench [--seconds 3] [--rounds 3] [--connections 16] [--only me,chart,calendar,ingest,retries,export]
 *
 * DATABASE_URL names an empty database; without it an embedded PostgreSQL is started for the run.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase } from '@companion/server/database/database.ts'
import { openEmbeddedPostgres } from '@companion/server/database/embedded/open.ts'
import { load } from './load.ts'
import type { BenchData } from './load.ts'
import { startProcess } from './process.ts'

const SECRET = 'a secret for measurements only, 32 bytes or more'
const LAST_DAY = '2026-03-01'

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '16' },
    only: { type: 'string', default: 'me,chart,calendar,ingest,retries,export' },
  },
})
const [seconds, rounds, connections] = [options.seconds, options.rounds, options.connections].map(Number)

interface Ask {
  path: string
  token?: string
  body?: string
}

const anyOf = <Value>(values: readonly Value[]): Value => {
  const value = values[Math.floor(Math.random() * values.length)]
  if (value === undefined) throw new RangeError('Nothing to choose from')
  return value
}
const daysBefore = (days: number) =>
  new Date(Date.parse(LAST_DAY) - days * 86_400_000).toISOString().slice(0, 10)

let clock = Date.UTC(2016, 0, 1)
const item = (unique_id: string) => ({
  unique_id,
  detail_data: {
    treatment_date: new Date((clock += 1000)).toISOString().slice(0, 19),
    finish_flag: '1',
    last_intensity: 9,
    treatment_time: 3600,
  },
  intensity_record: Array.from({ length: 10 }, (_, n) => ({ intensity: n })),
  log_file_id: Math.floor(Math.random() * 1_000_000),
})

const newUpload = ({ uniqueId }: BenchData): Ask => ({
  path: '/api/v1/gamma/device/devlog',
  body: JSON.stringify(Array.from({ length: 10 }, () => item(anyOf(uniqueId)))),
})
const sent: Ask[] = []

const workloads: Record<string, (data: BenchData) => Ask> = {
  me: ({ accounts }) => ({ path: '/api/v1/beta/user/me', token: anyOf(accounts).token }),
  chart({ accounts }) {
    const { token, realUserId } = anyOf(accounts)
    const day = daysBefore(Math.floor(Math.random() * 365))
    return {
      path: `/api/v1/beta/chart/recent?real_user_id=${anyOf(realUserId)}&select_mode=1&current_date=${day}`,
      token,
    }
  },
  calendar({ accounts }) {
    const { token, realUserId } = anyOf(accounts)
    const [year, month] = daysBefore(Math.floor(Math.random() * 365))
      .split('-')
      .map(Number)
    return {
      path: `/api/v1/beta/event/history?real_user_id=${anyOf(realUserId)}&select_mode=1&year=${year}&select_data=${month}`,
      token,
    }
  },
  ingest: newUpload,
  // Of which 5 % have been sent before, as by devices that did not get their answer.
  retries(data) {
    if (sent.length > 0 && Math.random() < 0.05) return anyOf(sent)
    const upload = newUpload(data)
    sent.push(upload)
    if (sent.length > 200) sent.shift()
    return upload
  },
  export: ({ uniqueId }) => ({
    path: `/api/v1/gamma/device/export?unique_id=${anyOf(uniqueId)}&start_date=${daysBefore(499)}&end_date=${LAST_DAY}`,
  }),
}

/** One request on a connection that is kept; resolves to its status. */
function ask(port: number, agent: Agent, { path, token, body }: Ask): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        host: '127.0.0.1',
        agent,
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
      },
      (answer) => answer.on('end', () => resolve(answer.statusCode ?? 0)).resume(),
    )
    sent.on('error', reject).end(body)
  })
}

interface Measured {
  rate: number
  p50: number
  p99: number
  errors: number
}

async function measure(port: number, next: () => Ask, ms: number): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const times: number[] = []
  let errors = 0
  const start = performance.now()
  await Promise.all(
    Array.from({ length: connections ?? 1 }, async () => {
      while (performance.now() - start < ms) {
        const asked = performance.now()
        if ((await ask(port, agent, next())) !== 200) errors += 1
        times.push(performance.now() - asked)
      }
    }),
  )
  agent.destroy()
  const elapsed = performance.now() - start
  times.sort((one, other) => one - other)
  const at = (share: number) => times[Math.floor(times.length * share)] ?? 0
  return { rate: (times.length * 1000) / elapsed, p50: at(0.5), p99: at(0.99), errors }
}

const median = (values: number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0

const directory = await mkdtemp(join(tmpdir(), 'companion-bench-'))
const embedded = process.env['DATABASE_URL']
  ? undefined
  : await openEmbeddedPostgres({ directory, settings: { max_wal_size: '8GB', shared_buffers: '1GB' } })
const url = process.env['DATABASE_URL'] ?? embedded?.url ?? ''
const database = await openDatabase(url, { pool: 2 })
await database.migrate()
process.stderr.write('loading 1,000,000 treatments …\n')
const data = await load(database, SECRET, LAST_DAY)
await database.close()

const environment = { DATABASE_URL: url, DATA_DIR: directory, TOKEN_SECRET: SECRET }
const servers = {
  limit: await startProcess('./limit.ts', environment),
  companion: await startProcess('./serve.ts', environment),
}
try {
  console.log(
    '| workload | | requests/s | of the limit | p50 ms | p99 ms | errors |\n|---|---|--:|--:|--:|--:|--:|',
  )
  for (const name of options.only.split(',')) {
    const workload = workloads[name]
    if (!workload) throw new RangeError(`There is no workload ${name}`)
    const runs = { limit: [] as Measured[], companion: [] as Measured[] }
    const next = () => workload(data)
    for (let round = 0; round < (rounds ?? 1); round += 1) {
      const order = round % 2 === 0 ? (['limit', 'companion'] as const) : (['companion', 'limit'] as const)
      for (const each of order) {
        await measure(servers[each].port, next, 500)
        runs[each].push(await measure(servers[each].port, next, (seconds ?? 1) * 1000))
      }
    }
    const limit = median(runs.limit.map(({ rate }) => rate))
    for (const each of ['limit', 'companion'] as const) {
      const of = (key: keyof Measured) => median(runs[each].map((run) => run[key]))
      console.log(
        `| ${name} | ${each} | ${of('rate').toFixed(0)} | ${(of('rate') / limit).toFixed(2)} | ${of('p50').toFixed(2)} | ${of('p99').toFixed(2)} | ${of('errors')} |`,
      )
    }
  }
} finally {
  for (const each of Object.values(servers)) each.stop()
  await embedded?.stop()
  await rm(directory, { recursive: true, force: true })
}
