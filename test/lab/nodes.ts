/*
 * Asks a service on an installed Citus for uploads at a steady rate while a shard moves, a worker dies and comes back, a node is
 * added and gets its share, and another is drained and leaves. Prints what was asked and reached, and fails when an
 * acknowledged record is lost or doubled, a response took over ten seconds, or a device got an error whose records are not on
 * the dead node.
 *
 *   pnpm lab:nodes [--rate 1000] [--seconds 300] [--in-flight 400] [--shards 16] [--log FILE]
 */
import { writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { load } from '../bench/load.ts'
import { startEmbeddedService } from '../bench/embedded-service.ts'
import { installedCitus, startCitus } from '../support/machines/citus.ts'
import { uploadOpenLoop } from './open-loop.ts'
import type { Sent } from './open-loop.ts'

const { values: options } = parseArgs({
  options: {
    rate: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '300' },
    'in-flight': { type: 'string', default: '400' },
    shards: { type: 'string', default: '16' },
    log: { type: 'string' },
  },
})
const [rate, seconds, inFlight, shards] = [
  options.rate,
  options.seconds,
  options['in-flight'],
  options.shards,
].map(Number) as [number, number, number, number]
const SECRET = 'a secret for the lab only, 32 bytes or more'
const LAST_DAY = '2025-12-01'
const LONGEST_MS = 10_000
/** The time within which a node that is back is found. */
const FOUND_MS = 5000

if (!installedCitus()) {
  console.warn('SKIPPED: no PostgreSQL with the extension citus is installed. CITUS_PG may name its folder.')
  process.exit(0)
}

/** By device, the port of the node that holds its records. */
async function places({ pool }: Database): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ unique_id: string; port: number }>(
    `SELECT d.unique_id, s.nodeport AS port
     FROM (SELECT unique_id, get_shard_id_for_distribution_column('treatment', id) AS shard FROM device) d
     JOIN citus_shards s ON s.shardid = d.shard`,
  )
  return new Map(rows.map(({ unique_id, port }) => [unique_id, port]))
}

const citus = await startCitus({ workers: 2 })
const issues: string[] = []
try {
  const url = await citus.createDatabase('companion')
  const database = await openDatabase(url, { pool: 2 })
  await database.migrate()
  const { uniqueId } = await load(database, SECRET, LAST_DAY, { accounts: 1000, nights: 10 })
  await database.distribution.prepare()
  await database.distribution.distribute({ shards })
  const before = (await database.pool.query('SELECT count(*)::int FROM treatment')).rows[0].count
  const service = await startEmbeddedService({ DATABASE_URL: url, TOKEN_SECRET: SECRET })

  const phases: { name: string; from: number; until: number; took?: string }[] = []
  const loop = uploadOpenLoop(service.url, uniqueId, { rate, inFlight })
  const share = (seconds * 1000) / 7
  /** Does something, and lets the rest of its share of the time pass. */
  const phase = async (name: string, work: () => Promise<unknown> = () => Promise.resolve()) => {
    const from = performance.now()
    await work()
    const ms = performance.now() - from
    await pause(Math.max(0, share - ms))
    phases.push({ name, from, until: performance.now(), took: `${(ms / 1000).toFixed(1)} s` })
    console.log(`${name}: ${(ms / 1000).toFixed(1)} s`)
  }

  await phase('all quiet')
  const [, dead] = citus.workers
  const deadPort = Number(new URL(dead?.url ?? '').port)
  await phase('a shard moves', async () => {
    const { rows } = await database.pool.query<{ shardid: string; port: number }>(
      `SELECT shardid, nodeport AS port FROM citus_shards
       WHERE table_name = 'treatment'::regclass AND nodeport <> $1 ORDER BY 1 LIMIT 1`,
      [deadPort],
    )
    await database.pool.query(`SELECT citus_move_shard_placement($1, '127.0.0.1', $2, '127.0.0.1', $3)`, [
      rows[0]?.shardid,
      rows[0]?.port,
      deadPort,
    ])
  })
  const placed = await places(database)
  const killedAt = performance.now()
  await phase('a worker is dead', async () => dead?.stop('SIGQUIT'))
  let backAt = Infinity
  await phase('it is back', async () => {
    await dead?.start()
    backAt = performance.now()
  })
  await phase('a node joins', async () => {
    await citus.addWorker('companion')
    await database.pool.query('SELECT citus_rebalance_start()')
    await database.pool.query('SELECT citus_rebalance_wait()')
  })
  await phase('a node leaves', async () => {
    const port = Number(new URL(citus.workers[0]?.url ?? '').port)
    await database.pool.query(`SELECT citus_drain_node('127.0.0.1', $1)`, [port])
    await database.pool.query(`SELECT citus_remove_node('127.0.0.1', $1)`, [port])
  })
  const { rows: spread } = await database.pool.query(
    `SELECT nodeport, count(*)::int AS shards FROM citus_shards WHERE table_name = 'treatment'::regclass GROUP BY 1 ORDER BY 1`,
  )
  await phase('all quiet again')
  const [due, left] = [loop.due(), loop.left()]
  const elapsed = (performance.now() - (phases[0]?.from ?? 0)) / 1000
  const acknowledged = await loop.finish()

  const quantile = (sent: readonly Sent[], part: number) =>
    Math.round(sent.map(({ ms }) => ms).toSorted((a, b) => a - b)[Math.floor(sent.length * part)] ?? 0)
  for (const { name, from, until, took } of phases) {
    const own = loop.sent.filter((each) => each.due >= from && each.due < until)
    const good = own.filter(({ outcome }) => outcome === '200')
    console.log(
      `${name.padEnd(18)} ${took} · ${((1000 * good.length) / (until - from)).toFixed(0)}/s answered 200, ${own.length - good.length} not · ` +
        `p50 ${quantile(own, 0.5)} p99 ${quantile(own, 0.99)} longest ${quantile(own, 1 - Number.EPSILON)} ms`,
    )
  }
  const bad = loop.sent.filter(({ outcome }) => outcome !== '200')
  const kinds = new Map<string, number>()
  for (const { outcome } of bad) kinds.set(outcome, (kinds.get(outcome) ?? 0) + 1)
  for (const [outcome, times] of kinds) console.log(`${times} × ${outcome}`)
  console.log(`shards of treatment: ${spread.map((row) => `${row.nodeport}: ${row.shards}`).join(', ')}`)
  console.log(
    `asked ${rate}/s for ${elapsed.toFixed(0)} s: ${due} due, ${left} not sent because ${inFlight} were under way or no device was idle, ` +
      `${loop.sent.filter(({ outcome }) => outcome === '200').length} acknowledged: ${(loop.sent.filter(({ outcome }) => outcome === '200').length / elapsed).toFixed(0)}/s`,
  )

  const { rows: stored } = await database.pool.query<{ unique_id: string; logs: number[] }>(
    `SELECT d.unique_id, s.logs FROM device d JOIN (
       SELECT device_id, array_agg(log_file_id ORDER BY log_file_id) AS logs FROM treatment
       WHERE treatment_date >= '2026-01-01' GROUP BY 1) s ON s.device_id = d.id`,
  )
  const found = new Map(stored.map(({ unique_id, logs }) => [unique_id, logs]))
  let [lost, doubled] = [0, 0]
  for (const [device, logs] of acknowledged) {
    const own = found.get(device) ?? []
    const once = new Set(own)
    doubled += own.length - once.size
    lost += logs.filter((log) => !once.has(log)).length
  }
  const { rows: told } = await database.pool.query<{ behind: number; unfed: number }>(
    `SELECT count(*) FILTER (WHERE last IS DISTINCT FROM sent)::int AS behind FROM (
       SELECT d.last_log_file_id AS last, s.sent FROM device d JOIN (
         SELECT unique_id::text, sent FROM unnest($1::text[], $2::int[]) AS s (unique_id, sent)) s
         ON s.unique_id = d.unique_id::text) x`,
    [
      [...acknowledged].filter(([, logs]) => logs.length > 0).map(([device]) => device),
      [...acknowledged].filter(([, logs]) => logs.length > 0).map(([, logs]) => logs.at(-1)),
    ],
  )
  const slow = loop.sent.filter(({ ms }) => ms > LONGEST_MS)
  const ofOthers = bad.filter(
    ({ devices, due: at, ms }) =>
      at + ms < killedAt || !devices.some((device) => placed.get(device) === deadPort),
  )
  const late = bad.filter(({ due: at }) => at > backAt + FOUND_MS)
  const expect = (what: string, count: number) => {
    console.log(`${what}: ${count}`)
    if (count > 0) issues.push(what)
  }
  const records = [...acknowledged.values()].reduce((sum, logs) => sum + logs.length, 0)
  console.log(`records sent: ${records}, before: ${before}`)
  expect('acknowledged records that are lost', lost)
  expect('records that are doubled', doubled)
  expect('devices whose last log file is not the last sent', told[0]?.behind ?? 1)
  expect('answers over 10 s', slow.length)
  expect('errors of devices that are not on the dead node, or before it died', ofOthers.length)
  expect('errors from 5 s after it was back', late.length)
  await service.stop()
  if (options.log) await writeFile(options.log, service.log())
  await database.close()
} finally {
  await citus.stop()
}
if (issues.length > 0) {
  console.log(`FAILED: ${issues.join('; ')}`)
  process.exitCode = 1
}
