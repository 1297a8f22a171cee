/*
 * Measures the processor time of PostgreSQL for each operation on one machine and on an installed Citus, in turns, and which part
 * of it falls on the coordinator. docs/operations/capacity.md turns it into nodes.
 *
 *   pnpm bench:nodes [--calls 2000] [--rounds 3] [--connections 16] [--shards 16]
 */
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openDatabase } from '@companion/server/database/database.ts'
import { installedCitus, startCitus } from '../support/citus.ts'
import type { Node } from '../support/citus.ts'
import { startEmbeddedService } from './embedded-service.ts'
import { load } from './load.ts'
import type { BenchData } from './load.ts'
import { median } from './measure.ts'
import { LAST_DAY, workloads } from './workloads.ts'
import type { Workload } from './workloads.ts'

const { values: options } = parseArgs({
  options: {
    calls: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '16' },
    shards: { type: 'string', default: '16' },
  },
})
const SECRET = 'a secret for measurements only, 32 bytes or more'
const READINGS = 6
const MICROSECONDS_A_TICK = 10_000

if (!installedCitus()) {
  console.warn('SKIPPED: no PostgreSQL with the extension citus is installed. CITUS_PG may name its folder.')
  process.exit(0)
}

let hour = Date.UTC(2016, 0, 1)
/** An hour of a base station, whose unique_id is made of that of a device. */
const readings: Workload = ({ uniqueId }) => {
  const unique_id = uniqueId[Math.floor(Math.random() * uniqueId.length)]
  hour += 3_600_000
  const items = Array.from({ length: READINGS }, (_, n) => ({
    unique_id,
    measured_at: new Date(hour + n * 600_000).toISOString().slice(0, 19),
    temperature: 21,
    humidity: 45,
    brightness: 3,
    noise: 30,
  }))
  return { path: '/api/v1/gamma/basestation/environment', body: JSON.stringify(items) }
}

const measured: [string, Workload | undefined][] = [
  ...['me', 'chart', 'calendar', 'night', 'ingest'].map((name): [string, Workload | undefined] => [
    name,
    workloads[name],
  ]),
  ['readings', readings],
]

/** Ticks of a PostgreSQL with all its processes, those that have ended too. */
async function ticksOf(node: Node): Promise<number> {
  let ticks = 0
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    // The name of the process, in parentheses, may contain anything. After it: state, parent; `utime` is field 14.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [user = 0, system = 0, usersOfEnded = 0, systemOfEnded = 0] = fields.slice(11, 15).map(Number)
    if (Number(name) === node.pid()) ticks += user + system + usersOfEnded + systemOfEnded
    else if (Number(fields[1]) === node.pid()) ticks += user + system
  }
  return ticks
}

async function callAll(origin: string, data: BenchData, workload: Workload): Promise<void> {
  let left = Number(options.calls)
  const one = async () => {
    while (left > 0) {
      left -= 1
      const { path, token, body } = workload(data)
      const answer = await fetch(origin + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body }),
      })
      await answer.arrayBuffer()
      if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
    }
  }
  await Promise.all(Array.from({ length: Number(options.connections) }, one))
}

const citus = await startCitus({ workers: 2 })
try {
  const contestants = await Promise.all(
    ['one', 'several'].map(async (name) => {
      const url = await citus.createDatabase(name)
      const database = await openDatabase(url, { pool: 2 })
      await database.migrate()
      const data = await load(database, SECRET, LAST_DAY, { accounts: 1000, nights: 100 })
      await database.pool.query(
        `INSERT INTO basestation (unique_id, serial_code, root_user_id, connected_at)
         SELECT unique_id, 'BST-' || d.id, r.root_user_id, now() FROM device d JOIN real_user r ON r.id = d.real_user_id`,
      )
      if (name === 'several') {
        await database.distribution.prepare()
        await database.distribution.distribute({ shards: Number(options.shards) })
      }
      await database.close()
      return { data, service: await startEmbeddedService({ DATABASE_URL: url, TOKEN_SECRET: SECRET }) }
    }),
  )
  const nodes = [citus.coordinator, ...citus.workers]
  console.log('Microseconds of processor time of PostgreSQL for a call: medians, and all rounds.')
  console.log('| call | one machine | coordinator | workers | together | ratio |')
  console.log('|---|--:|--:|--:|--:|--:|')
  for (const [name, workload] of measured) {
    if (!workload) continue
    const rounds: number[][] = []
    for (let round = 0; round <= Number(options.rounds); round += 1) {
      const spent: number[] = []
      for (const { data, service } of contestants) {
        const before = await Promise.all(nodes.map(ticksOf))
        await callAll(service.url, data, workload)
        // The trail of these calls is written within a second.
        await pause(1500)
        const after = await Promise.all(nodes.map(ticksOf))
        const own = after.map(
          (ticks, n) => ((ticks - (before[n] ?? 0)) * MICROSECONDS_A_TICK) / Number(options.calls),
        )
        spent.push(...own)
      }
      // The first round plans and fills caches.
      if (round > 0) rounds.push(spent)
    }
    const figures = rounds.map(([one = 0, , , coordinator = 0, worker = 0, other = 0]) => ({
      one,
      coordinator,
      workers: worker + other,
      together: coordinator + worker + other,
      ratio: (coordinator + worker + other) / one,
    }))
    const shown = (['one', 'coordinator', 'workers', 'together', 'ratio'] as const).map((key) => {
      const values = figures.map((each) => each[key])
      const text = (value: number) => value.toFixed(key === 'ratio' ? 1 : 0)
      return `${text(median(values))} (${values.map(text).join(', ')})`
    })
    console.log(`| ${[name, ...shown].join(' | ')} |`)
  }
  for (const { service } of contestants) await service.stop()
} finally {
  await citus.stop()
}
