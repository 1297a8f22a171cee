/*
 * Measures how the most important operations bear a growing database: requests per second and processor time with 1, 10
 * and 30 million treatments, as ratios to those with the first size in the same rounds, and the plans and pages behind
 * them. Every account calls with a token of its own, so there are as many tokens as accounts. A size like `30m` is that
 * database after `companion migrate --monthly`, its past months settled.
 *
 *   pnpm bench:growth [--sizes 1,10,30,30m] [--directory ../growth] [--seconds 3] [--rounds 3] [--warm-up 2]
 *     [--connections 16] [--only me,chart,calendar,ingest,export] [--shared-buffers 4GB] [--plans plans.txt]
 *     [--against ../companion-before] [--trail-minute 10]
 *
 * The databases lie in an embedded PostgreSQL: 30 million treatments take 8 GB and ten minutes to load. With
 * `--directory` they stay there, and the next run loads what is missing only. Uploads remain in them. With `--against`
 * the service of another checkout is measured in the same rounds, on the same databases.
 *
 * The trail has one row for each child, actor, operation and minute. In a real night or day hardly a device or a parent comes
 * twice in a minute; 2,000 devices asked as fast as they answer come again after a tenth of a second, and 60,000 do not. So each
 * size counts within `--trail-minute` milliseconds only, 10 by default, and each call pays its row, as it does in truth. With
 * 60000 it is as in production, where the small size is spared most rows. How many each had is printed. A checkout of
 * `--against` that does not know that counts within minutes.
 *
 * Each further size has rounds with the first one alone, because all databases share one cache. Before each operation as much
 * of both as fits is read into it: a server that has run for a day has long had its misses.
 */
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { openEmbeddedPostgres } from '@companion/server/embedded-postgres/open.ts'
import type { EmbeddedPostgres } from '@companion/server/embedded-postgres/open.ts'
import { keyRingOf } from '@companion/server/encryption/key-ring.ts'
import { SECRET, startCandidate } from './candidate.ts'
import type { Filled } from './candidate.ts'
import { benchData, encryptNames, fill } from './load.ts'
import { measureInTurn } from './measure.ts'
import type { Candidate } from './measure.ts'
import { explain, EXPLAINABLE } from './plans.ts'
import { printHead, printRatios } from './ratios.ts'
import { LAST_DAY, workloads } from './workloads.ts'

const HERE = join(import.meta.dirname, '../..')
const ACCOUNTS_A_MILLION = 1000
const EXPLAINED_REQUESTS = 50
const SETTLED_AT_ONCE = 1000
/** After which what was answered is on the trail. */
const TRAIL_MS = 2000
/** About two months of 60,000 devices. */
const STEPS_BETWEEN_VACUUMS = 4000

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1,10,30,30m' },
    directory: { type: 'string' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    'warm-up': { type: 'string', default: '2' },
    connections: { type: 'string', default: '16' },
    only: { type: 'string', default: 'me,chart,calendar,ingest,export' },
    'shared-buffers': { type: 'string', default: '4GB' },
    plans: { type: 'string' },
    against: { type: 'string' },
    'trail-minute': { type: 'string', default: '10' },
  },
})
const plan = {
  rounds: Number(options.rounds),
  seconds: Number(options.seconds),
  connections: Number(options.connections),
  warmUpSeconds: Number(options['warm-up']),
}
const [first = '1', ...others] = options.sizes.split(',')
const chosen = options.only.split(',').map((name) => {
  const workload = workloads[name]
  if (!workload) throw new RangeError(`There is no workload ${name}`)
  return { name, workload }
})

// As of a service without `DATA_KEYS`.
const keyRing = keyRingOf({ dataKeys: [], hashSecret: undefined }, SECRET)

const stops: (() => Promise<unknown>)[] = []
try {
  const directory = options.directory === undefined ? await temporary() : resolve(options.directory)
  await loadMissing(directory)
  for (const other of others.length > 0 ? others : [first])
    await compare(directory, [...new Set([first, other])])
} finally {
  await stopAll(stops)
}

async function stopAll(all: (() => Promise<unknown>)[]): Promise<void> {
  for (const stop of all.toReversed()) await stop()
}

async function compare(directory: string, sizes: readonly string[]): Promise<void> {
  const begun: (() => Promise<unknown>)[] = []
  try {
    const embedded = await postgresIn(directory, EXPLAINABLE)
    begun.push(() => embedded.stop())
    const { url } = embedded
    const checkouts = options.against === undefined ? [HERE] : [HERE, resolve(options.against)]
    const databases = await Promise.all(sizes.map((size) => filled(url, size)))
    const candidates: Candidate[] = []
    for (const checkout of checkouts) {
      for (const [n, database] of databases.entries()) {
        const name = `${sizes[n]?.replace('m', '')} M${sizes[n]?.endsWith('m') ? ' by month' : ''}${checkout === HERE ? '' : `, ${options.against}`}`
        const script = join(checkout, 'test/bench/serve.ts')
        const { stop, ...candidate } = await startCandidate(name, script, database, directory, {
          TRAIL_MINUTE_MS: options['trail-minute'],
        })
        begun.push(stop)
        candidates.push(candidate)
      }
    }
    const warm = async () => {
      // The small one last, which would have to go for the large one.
      for (const database of databases.toReversed()) await readIn(database.url)
    }
    const begunAt = new Date()
    printHead()
    for (const { name, workload } of chosen) {
      await warm()
      const measured = await measureInTurn(candidates, workload, plan)
      for (let n = 0; n < candidates.length; n += sizes.length) {
        const end = n + sizes.length
        printRatios(name, candidates.slice(n, end), measured.slice(n, end))
      }
    }
    await pause(TRAIL_MS)
    console.log('\n| rows of the trail for each access | |\n|---|--:|')
    for (const [n, { url: one }] of databases.entries())
      for (const { operation, rows } of await trailRows(one, begunAt))
        console.log(`| ${operation}, ${candidates[n]?.name} | ${rows.toFixed(2)} |`)
    console.log('\n| workload | | pages found | pages read | first changes of a page | WAL bytes |')
    console.log('|---|---|--:|--:|--:|--:|')
    const admin = await openDatabase(url, { pool: 1 })
    begun.push(() => admin.close())
    const logFile = join(directory, 'postgres/postgres.log')
    for (const { name, workload } of chosen) {
      await warm()
      for (const candidate of candidates) {
        await admin.pool.query('CHECKPOINT')
        const { plans, ...counts } = await explain(candidate, workload, {
          pool: admin.pool,
          logFile,
          requests: EXPLAINED_REQUESTS,
        })
        const figures = [counts.hit, counts.read, counts.images, counts.wal].map((count) => count.toFixed(1))
        console.log(`| ${[name, candidate.name, ...figures].join(' | ')} |`)
        if (options.plans !== undefined)
          await appendFile(options.plans, `=== ${name}, ${candidate.name}\n${plans}\n`)
      }
    }
    console.log()
  } finally {
    await stopAll(begun)
  }
}

/** Reads tables and then their indexes into PostgreSQL's memory, as far as they fit: what comes last stays. */
async function readIn(url: string): Promise<void> {
  const database = await openDatabase(url, { pool: 1 })
  await database.pool.query('CREATE EXTENSION IF NOT EXISTS pg_prewarm')
  await database.pool.query(
    `SELECT sum(pg_prewarm(name)) FROM unnest($1::text[]) WITH ORDINALITY AS r (name, n) GROUP BY n ORDER BY n`,
    [
      [
        'treatment',
        'event',
        'treatment_record',
        'event_day',
        'treatment_child',
        'device',
        'device_unique_id',
      ],
    ],
  )
  await database.close()
}

/** How many rows the trail has of each operation since a moment, for each access. */
async function trailRows(url: string, since: Date): Promise<{ operation: string; rows: number }[]> {
  const database = await openDatabase(url, { pool: 1 })
  const { rows } = await database.pool.query<{ operation: string; rows: number }>(
    `SELECT operation, sum(rows) / sum(times)::float8 AS rows
     FROM (
       SELECT operation, count(*) AS rows, sum(times) AS times FROM trail WHERE at > $1 GROUP BY 1
       UNION ALL
       SELECT operation, count(*), sum(times) FROM trail_upload WHERE at >= date_trunc('day', $1::timestamptz) GROUP BY 1
       UNION ALL
       SELECT split_part(read, U&'\\001F', 4), 0, sum(often) FROM trail_repeat, unnest(reads, times) AS r (read, often)
       GROUP BY 1
     ) told
     GROUP BY 1 ORDER BY 1`,
    [since],
  )
  await database.close()
  return rows
}

async function temporary(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'companion-growth-'))
  stops.push(() => rm(made, { recursive: true, force: true }))
  return made
}

async function postgresIn(directory: string, settings: Record<string, string>): Promise<EmbeddedPostgres> {
  return openEmbeddedPostgres({
    directory: join(directory, 'postgres'),
    settings: { max_wal_size: '8GB', shared_buffers: options['shared-buffers'], ...settings },
  })
}

function urlOf(server: string, size: string): string {
  return Object.assign(new URL(server), { pathname: `/growth_${size}` }).href
}

/** Fills the databases that are not there yet; one whose filling was interrupted is filled again. */
async function loadMissing(directory: string): Promise<void> {
  const embedded = await postgresIn(directory, { wal_level: 'minimal', max_wal_senders: '0' })
  const admin = await openDatabase(embedded.url, { pool: 1 })
  const ensure = async (size: string): Promise<void> => {
    const name = `growth_${size}`
    const { rows } = await admin.pool.query('SELECT FROM pg_database WHERE datname = $1', [name])
    if (rows.length > 0) return
    const plain = size.replace(/m$/, '')
    if (size !== plain) await ensure(plain)
    process.stderr.write(`loads ${size} million treatments …\n`)
    const draft = `${name}_draft`
    await admin.pool.query(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`)
    const template = size === plain ? '' : `TEMPLATE growth_${plain} STRATEGY file_copy`
    await admin.pool.query(`CREATE DATABASE ${draft} ${template}`)
    const database = await openDatabase(`${urlOf(embedded.url, size)}_draft`, { pool: 2, keyRing })
    await database.migrate()
    if (size === plain) {
      await fill(database, LAST_DAY, { accounts: Number(size) * ACCOUNTS_A_MILLION })
      await encryptNames(database)
    } else {
      await database.months.lead()
      await settle(database)
    }
    await database.close()
    await admin.pool.query(`ALTER DATABASE ${draft} RENAME TO ${name}`)
  }
  try {
    for (const size of [first, ...others]) await ensure(size)
  } finally {
    await admin.close()
    await embedded.stop()
  }
}

/** As the purge does, month by month over time: the space of one is free for the next. */
async function settle({ pool }: Database): Promise<void> {
  for (let steps = 1; ; steps += 1) {
    const { rows } = await pool.query<{ seen: number }>('SELECT recluster_treatments($1) AS seen', [
      SETTLED_AT_ONCE,
    ])
    if ((rows[0]?.seen ?? 0) < SETTLED_AT_ONCE) break
    if (steps % STEPS_BETWEEN_VACUUMS === 0) await pool.query('VACUUM treatment')
  }
  for (const index of ['treatment_record', 'treatment_child'])
    await pool.query(`REINDEX INDEX CONCURRENTLY ${index}`)
  await pool.query('VACUUM (ANALYZE) treatment')
  await pool.query('CHECKPOINT')
}

async function filled(server: string, size: string): Promise<Filled> {
  const url = urlOf(server, size)
  const database = await openDatabase(url, { pool: 1 })
  const data = await benchData(database, SECRET, LAST_DAY)
  await database.close()
  return { url, data }
}
