/*
 * Measures what each operation costs on several nodes: the processor time of the service and of PostgreSQL, summed over a
 * coordinator and two workers, against a database of one PostgreSQL in the same rounds, and which part of it falls on the coordinator.
 * docs/operations/capacity.md turns it into nodes. An installed Citus runs both.
 *
 *   pnpm bench:distributed [--accounts 100] [--shards 8] [--seconds 3] [--rounds 3] [--connections 16]
 *     [--only me,chart,calendar,night,ingest,readings]
 *
 * The nodes share this machine, so requests per second say what they cost together, and nothing of what several machines
 * would answer.
 */
import { parseArgs } from 'node:util'
import { openDatabase } from '@companion/server/database/database.ts'
import { keyRingOf } from '@companion/server/encryption/key-ring.ts'
import { startCitus } from '../support/machines/citus.ts'
import { urlOf } from '../support/database-url.ts'
import { SECRET, startCandidate } from './candidate.ts'
import { encryptNames, load } from './load.ts'
import { measureInTurn, median } from './measure.ts'
import { printHead, printRatios } from './ratios.ts'
import { LAST_DAY, workloads } from './workloads.ts'

const { values: options } = parseArgs({
  options: {
    accounts: { type: 'string', default: '100' },
    shards: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '16' },
    only: { type: 'string', default: 'me,chart,calendar,night,ingest,readings' },
  },
})
const plan = {
  rounds: Number(options.rounds),
  seconds: Number(options.seconds),
  connections: Number(options.connections),
}

// As of a service without `DATA_KEYS`.
const keyRing = keyRingOf({ dataKeys: [], hashSecret: undefined }, SECRET)

/** Calls a second of ten million devices: docs/scale.md. Parents ask for all three of a child. */
const LOADS = {
  'morning hour': { night: 1389, readings: 2778 },
  'morning quarter of an hour': { night: 5556, readings: 2778 },
  'evening hour': { me: 694, chart: 694, calendar: 694, readings: 2778 },
}

/** By workload: the processor time of one PostgreSQL, of all nodes, and of the coordinator. */
const shares: [string, number, number, number][] = []
const stops: (() => Promise<unknown>)[] = []
try {
  const citus = await startCitus({ workers: 2 })
  stops.push(() => citus.stop())
  const admin = await openDatabase(citus.coordinator.url, { pool: 1 })
  await admin.pool.query('CREATE DATABASE one')
  await admin.close()
  const candidates = [
    await candidate('one PostgreSQL', [urlOf(citus.coordinator.url, 'one')]),
    await candidate('three nodes', await severalNodes(citus)),
  ]
  printHead()
  for (const name of options.only.split(',')) {
    const workload = workloads[name]
    if (!workload) throw new RangeError(`There is no workload ${name}`)
    const measured = await measureInTurn(candidates, workload, plan)
    printRatios(name, candidates, measured)
    const [one = [], several = []] = measured.map((rounds) => rounds.map(({ database }) => database))
    const coordinator = measured[1]?.map((round) => round.coordinator) ?? []
    shares.push([name, median(one), median(several), median(coordinator)])
  }
  console.log('\n| workload | one PostgreSQL µs | coordinator µs | workers µs | on the coordinator |')
  console.log('|---|--:|--:|--:|--:|')
  for (const [name, one, several, coordinator] of shares)
    console.log(
      `| ${[name, one.toFixed(0), coordinator.toFixed(0), (several - coordinator).toFixed(0)].join(' | ')} | ${((100 * coordinator) / several).toFixed(0)} % |`,
    )
  printLoads()
} finally {
  for (const stop of stops.toReversed()) await stop()
}

async function severalNodes({ urls, createDatabase }: Awaited<ReturnType<typeof startCitus>>) {
  await createDatabase('several')
  return urls.map((url) => urlOf(url, 'several'))
}

/** A service on a filled database, of which the first URL is what the service knows. */
async function candidate(name: string, [url = '', ...workers]: string[]) {
  const database = await openDatabase(url, { pool: 2, keyRing })
  await database.migrate()
  const data = await load(database, SECRET, LAST_DAY, { accounts: Number(options.accounts) })
  await encryptNames(database)
  // Each device has a base station of the same number.
  await database.pool.query(
    `INSERT INTO basestation (unique_id, serial_code, root_user_id, connected_at)
     SELECT d.unique_id, 'BST-' || d.id, r.root_user_id, now() FROM device d JOIN real_user r ON r.id = d.real_user_id`,
  )
  if (workers.length > 0) {
    await database.distribution.prepare()
    await database.distribution.distribute({ warn: console.warn, shards: Number(options.shards) })
    await database.pool.query('VACUUM (ANALYZE)')
  }
  await database.close()
  const { stop, ...started } = await startCandidate(name, './serve.ts', { url, data, workers }, '/tmp')
  stops.push(stop)
  return started
}

/** How many cores each of them keeps busy. */
function printLoads(): void {
  console.log('\n| of 10,000,000 devices, busy cores | one PostgreSQL | coordinator | workers |')
  console.log('|---|--:|--:|--:|')
  for (const [name, calls] of Object.entries(LOADS)) {
    const cores = [0, 0, 0]
    for (const [workload, rate] of Object.entries(calls)) {
      const [, alone = NaN, several = NaN, first = NaN] = shares.find(([each]) => each === workload) ?? []
      for (const [n, microseconds] of [alone, first, several - first].entries())
        cores[n] = (cores[n] ?? 0) + (rate * microseconds) / 1_000_000
    }
    console.log(`| ${[name, ...cores.map((each) => each.toFixed(1))].join(' | ')} |`)
  }
}
