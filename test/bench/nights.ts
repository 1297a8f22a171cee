/*
 * Measures the worker that judges evenings: a million children, of whom a part are watched and a part of those due.
 *
 *   node test/bench/nights.ts [--children 1000000] [--nights 3] [--workers 1]
 *
 * Prints, for a usual minute (2 of 100 of those watched are due) and for the worst (all watched, all due at once): how many
 * evenings were judged, the seconds, PostgreSQL's processor time and pages for each, the longest step, and how long uploads
 * waited at most meanwhile.
 *
 * DATABASE_URL names a PostgreSQL with an empty database. Without it, the benchmark runs an embedded one.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { checkDueNights } from '@companion/server/delivery/watch-nights.ts'
import { storeWithWaitingUploads } from '@companion/server/devlogs/store-together.ts'
import { devlogSchema } from '@companion/server/devlogs/devlog.ts'
import { openEmbeddedPostgres } from '@companion/server/embedded-postgres/open.ts'
import { fill } from './load.ts'
import { processorTime } from './process.ts'

const { values: options } = parseArgs({
  options: {
    children: { type: 'string', default: '1000000' },
    nights: { type: 'string', default: '3' },
    workers: { type: 'string', default: '1' },
  },
})
const CHILDREN = Number(options.children)
const LAST_DAY = '2026-03-01'
/** The morning after; at 10:00 in New York. */
const NOW = new Date('2026-03-02T15:00:00Z')
const TIME_ZONE = 'America/New_York'
/** Of a hundred children. */
const [WATCHED, DUE, MISSING, QUIET] = [30, 2, 10, 20]

const directory = await mkdtemp(join(tmpdir(), 'companion-bench-'))
const embedded = process.env['DATABASE_URL']
  ? undefined
  : await openEmbeddedPostgres({ directory, settings: { max_wal_size: '8GB', shared_buffers: '1GB' } })
const url = process.env['DATABASE_URL'] ?? embedded?.url ?? ''
try {
  const database = await openDatabase(url, { pool: 4 })
  await database.migrate()
  const { rows: loaded } = await database.pool.query('SELECT FROM real_user LIMIT 1')
  if (loaded.length === 0) await load()
  for (const round of [1, 2]) {
    await measure(database, `a usual minute, round ${round}`, WATCHED, DUE)
    await measure(database, `all at once, round ${round}`, 100, 100)
  }
  await database.close()
} finally {
  await embedded?.stop()
  await rm(directory, { recursive: true, force: true })
}

/** Without triggers and references, which look at each row; so the role must be a superuser. */
async function load(): Promise<void> {
  process.stderr.write(`loads ${CHILDREN} children …\n`)
  const quick = new URL(url)
  quick.searchParams.set('options', '-csession_replication_role=replica')
  const database = await openDatabase(quick.href, { pool: 1 })
  await fill(database, LAST_DAY, { accounts: CHILDREN / 2, nights: Number(options.nights) })
  const { pool } = database
  await pool.query(
    `INSERT INTO push_token (root_user_id, token, token_hash) SELECT id, id::text, sha256(id::text::bytea) FROM root_user`,
  )
  await pool.query(
    `UPDATE root_user SET time_zone = (ARRAY['America/New_York', 'America/Toronto', 'America/Detroit', 'America/Bogota', NULL])[1 + id % 5],
       quiet_from = CASE WHEN id % 100 < ${QUIET} THEN '22:00' END, quiet_to = CASE WHEN id % 100 < ${QUIET} THEN '07:00' END`,
  )
  await pool.query(`UPDATE device SET connected_at = timestamptz '${LAST_DAY}' - interval '60 days'`)
  await pool.query(
    `DELETE FROM treatment WHERE real_user_id % 100 < ${MISSING} AND treatment_date >= timestamp '${LAST_DAY} 12:00'`,
  )
  await pool.query('VACUUM (ANALYZE)')
  await database.close()
}

async function measure(database: Database, name: string, watched: number, due: number): Promise<void> {
  const { pool } = database
  await pool.query('TRUNCATE night_watch, alert')
  await pool.query('ALTER TABLE root_user DISABLE TRIGGER USER')
  await pool.query(
    `UPDATE root_user SET is_missing_night_told = id % 100 < $1 WHERE is_missing_night_told <> (id % 100 < $1)`,
    [watched],
  )
  await pool.query('ALTER TABLE root_user ENABLE TRIGGER USER')
  await pool.query(
    `INSERT INTO night_watch (real_user_id, root_user_id, kind, evening, due_at)
     SELECT id, root_user_id, 'missing_night', date '${LAST_DAY}',
       CASE WHEN abs(hashint4(id)) % 100 < $2 THEN timestamptz '${NOW.toISOString()}' ELSE timestamptz '${NOW.toISOString()}' + interval '1 hour' END
     FROM real_user WHERE root_user_id % 100 < $1 ORDER BY hashint4(id)`,
    [watched, due],
  )
  await pool.query('VACUUM (ANALYZE) night_watch, root_user')
  await pool.query('CHECKPOINT')
  const others: Database[] = []
  for (let n = 0; n < Number(options.workers); n += 1) others.push(await openDatabase(url, { pool: 1 }))
  const pids = await Promise.all(
    others.map(async (each) => {
      const { rows } = await each.pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      return rows[0]?.pid ?? 0
    }),
  )
  const pagesOf = async () => {
    const { rows } = await pool.query<{ pages: number }>(
      `SELECT (blks_hit + blks_read)::float8 AS pages FROM pg_stat_database WHERE datname = current_database()`,
    )
    return rows[0]?.pages ?? 0
  }
  const [pages, spent, started] = [await pagesOf(), await processorTime(pids), performance.now()]
  const uploads = keepUploading(database)
  let longestStep = 0
  let lastStep = performance.now()
  const now = () => {
    longestStep = Math.max(longestStep, performance.now() - lastStep)
    lastStep = performance.now()
    return NOW
  }
  const counts = await Promise.all(others.map((each) => checkDueNights(each, { now, timeZone: TIME_ZONE })))
  const seconds = (performance.now() - started) / 1000
  const waited = await uploads.stop()
  const judged = counts.reduce((sum, each) => sum + each, 0)
  const cpu = (await processorTime(pids)) - spent
  for (const each of others) await each.close()
  const { rows } = await pool.query<{ alerts: number }>('SELECT count(*)::int AS alerts FROM alert')
  process.stdout.write(
    `${name}: ${judged} judged, ${rows[0]?.alerts} alerts, ${seconds.toFixed(1)} s, PostgreSQL ${(cpu / judged).toFixed(1)} µs and ` +
      `${(((await pagesOf()) - pages) / judged).toFixed(0)} pages each, longest step ${longestStep.toFixed(0)} ms, ` +
      `longest upload of ${waited.count} ${waited.longest.toFixed(0)} ms\n`,
  )
}

/** Uploads a new record every few milliseconds, as devices do meanwhile. */
function keepUploading(database: Database) {
  const stopping = new AbortController()
  let [longest, count] = [0, 0]
  const run = async () => {
    const { rows } = await database.pool.query<{ unique_id: string }>(
      'SELECT unique_id FROM device WHERE id % 1000 = 1',
    )
    while (!stopping.signal.aborted) {
      const item = devlogSchema.parse({
        unique_id: rows[count % rows.length]?.unique_id,
        detail_data: {
          treatment_date: new Date(Date.UTC(2025, 0, 1) + 1000 * Math.floor(Math.random() * 30_000_000))
            .toISOString()
            .slice(0, 19),
          finish_flag: '1',
          last_intensity: 9,
          treatment_time: 3600,
        },
        intensity_record: [],
        log_file_id: (count += 1),
      })
      const began = performance.now()
      await storeWithWaitingUploads(database, [item], undefined)
      longest = Math.max(longest, performance.now() - began)
      await new Promise((resolve) => {
        setTimeout(resolve, 20)
      })
    }
  }
  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
      return { longest, count }
    },
  }
}
