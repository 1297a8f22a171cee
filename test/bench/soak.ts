/*
 * Runs a mixed load for a long time, at a steady pace: uploads (some of them twice), charts, calendars, notes, reports,
 * spreadsheets, failing sign-ins and wrong bodies. Prints memory, connections and open files for each tenth of the time.
 * Compares acknowledged with stored records, and fails when something grew or was lost.
 *
 *   node test/bench/soak.ts [--minutes 30] [--rate 100]
 */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openDatabase } from '@companion/server/database/database.ts'
import { openEmbeddedPostgres } from '@companion/server/embedded-postgres/open.ts'
import { startEmbeddedService } from './embedded-service.ts'
import { load } from './load.ts'
import { residentMemory } from './process.ts'

const { values: options } = parseArgs({
  options: { minutes: { type: 'string', default: '30' }, rate: { type: 'string', default: '100' } },
})
const SECRET = 'a secret for measurements only, 32 bytes or more'
const LAST_DAY = '2026-03-01'
const SAMPLE_MS = 5000
/**
 * Most growth from the sixth tenth to the last, as a factor: threads and V8's young generation reach their size late.
 */
const GROWTH = 1.1

const directory = await mkdtemp(join(tmpdir(), 'companion-bench-'))
const embedded = await openEmbeddedPostgres({ directory })
const database = await openDatabase(embedded.url, { pool: 2 })
await database.migrate()
const { accounts, uniqueId } = await load(database, SECRET, LAST_DAY)
// Reports also contain the climate of the room.
await database.pool.query(
  `WITH station AS (
     INSERT INTO basestation (unique_id, serial_code, root_user_id, connected_at)
     SELECT gen_random_uuid(), 'BST-' || id, id, now() FROM root_user RETURNING id, root_user_id
   )
   INSERT INTO sleep_reading (basestation_id, root_user_id, measured_at, temperature, humidity, brightness, noise)
   SELECT id, root_user_id, at, 21, 45, 3, 30
   FROM station, generate_series($1::timestamp - interval '90 days', $1::timestamp, '6 hours') at`,
  [LAST_DAY],
)
const service = await startEmbeddedService({ DATABASE_URL: embedded.url, TOKEN_SECRET: SECRET })

const below = (end: number) => Math.floor(Math.random() * end)
function anyOf<Value>(values: readonly Value[]): Value {
  const value = values[below(values.length)]
  if (value === undefined) throw new RangeError('Nothing to choose from')
  return value
}
const anyDay = () => new Date(Date.parse(LAST_DAY) - below(365) * 86_400_000).toISOString().slice(0, 10)

const responses = new Map<string, number>()

async function ask(expected: number, path: string, init: RequestInit = {}): Promise<void> {
  const [what = ''] = path.split('?')
  const status = await fetch(`${service.url}/api/v1/${path}`, init).then(
    async (response) => {
      await response.arrayBuffer()
      return String(response.status)
    },
    (error: unknown) => String(error),
  )
  const key = status === String(expected) ? `${what} ${status}` : `UNEXPECTED ${what} ${status}`
  responses.set(key, (responses.get(key) ?? 0) + 1)
  if (status !== String(expected)) throw new Error(key)
}

const json = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

let clock = Date.UTC(2016, 0, 1)
let acknowledged = 0
async function upload(): Promise<void> {
  const items = Array.from({ length: 1 + below(3) }, () => ({
    unique_id: anyOf(uniqueId),
    detail_data: {
      treatment_date: new Date((clock += 1000)).toISOString().slice(0, 19),
      finish_flag: '1',
      last_intensity: 9,
      treatment_time: 3600,
    },
    intensity_record: Array.from({ length: 10 }, (_, intensity) => ({ intensity })),
    log_file_id: below(1_000_000),
  }))
  for (let times = 1 + below(2); times > 0; times -= 1) await ask(200, 'gamma/device/devlog', json(items))
  acknowledged += items.length
}

function read(path: (child: number) => string): () => Promise<void> {
  return () => {
    const { token, realUserId } = anyOf(accounts)
    return ask(200, path(anyOf(realUserId)), { headers: { authorization: `Bearer ${token}` } })
  }
}

async function note(): Promise<void> {
  const { token, realUserId } = anyOf(accounts)
  const event = {
    real_user_id: anyOf(realUserId),
    created_at: anyDay(),
    memo: `memo ${below(1000)}`,
    event_data: { medication: [], hospital: [] },
  }
  await ask(200, 'beta/event', json(event, { authorization: `Bearer ${token}` }))
}

const signIn = () =>
  ask(400, 'alpha/auth/email/signin', {
    method: 'POST',
    body: new URLSearchParams({ username: `user${1 + below(1000)}@example.com`, password: 'wrong password' }),
  })

/** Out of 100 requests. */
const mix: [share: number, work: () => Promise<void>][] = [
  [40, upload],
  [20, read(() => 'beta/user/me')],
  [15, read((child) => `beta/chart/recent?real_user_id=${child}&select_mode=1&current_date=${anyDay()}`)],
  [10, read((child) => `beta/event/history?real_user_id=${child}&select_mode=3&year=2025`)],
  [8, note],
  [2, read((child) => `beta/pdf/export?real_user_id=${child}&current_date=2025-12-01&select_mode=2`)],
  [
    2,
    () =>
      ask(200, `gamma/device/export?unique_id=${anyOf(uniqueId)}&start_date=2025-09-01&end_date=${LAST_DAY}`),
  ],
  [1, signIn],
  [2, () => ask(422, 'gamma/device/devlog', json([{ unique_id: 'none' }]))],
]
const works = mix.flatMap(([share, work]) => Array.from({ length: share }, () => work))

async function sample() {
  const files = await readdir(`/proc/${service.pid}/fd`)
  const { rows } = await database.pool.query<{ connections: number }>(
    `SELECT count(*)::int AS connections FROM pg_stat_activity
     WHERE application_name = 'companion' AND pid <> pg_backend_pid()`,
  )
  return {
    memory: await residentMemory(service.pid, 'VmRSS'),
    connections: rows[0]?.connections ?? 0,
    files: files.length,
  }
}

const median = (values: number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0

try {
  const tenth = Number(options.minutes) * 6000
  const [before] = (
    await database.pool.query<{ count: number }>('SELECT count(*)::int AS count FROM treatment')
  ).rows
  const started = performance.now()
  const ends = started + 10 * tenth
  const pending = new Set<Promise<void>>()
  const drive = (async () => {
    for (let next = started; next < ends; next += 1000 / Number(options.rate)) {
      const early = next - performance.now()
      if (early > 1) await pause(early)
      const work: Promise<void> = anyOf(works)()
        .catch(() => undefined)
        .finally(() => pending.delete(work))
      pending.add(work)
      // Never more at once than parents would wait for.
      if (pending.size > 200) await Promise.race(pending)
    }
    await Promise.all(pending)
  })()

  const tenths: Awaited<ReturnType<typeof sample>>[] = []
  for (let n = 1; n <= 10; n += 1) {
    const samples: typeof tenths = []
    while (performance.now() < started + n * tenth) {
      await pause(SAMPLE_MS)
      samples.push(await sample())
    }
    const middle = {
      memory: median(samples.map(({ memory }) => memory)),
      connections: median(samples.map(({ connections }) => connections)),
      files: median(samples.map(({ files }) => files)),
    }
    tenths.push(middle)
    console.log(
      `${n}/10: ${middle.memory} MiB, ${middle.connections} connections, ${middle.files} open files`,
    )
  }
  await drive
  const [after] = (
    await database.pool.query<{ count: number }>('SELECT count(*)::int AS count FROM treatment')
  ).rows
  for (const [response, count] of responses) console.log(`${count} × ${response}`)
  const stored = (after?.count ?? 0) - (before?.count ?? 0)
  console.log(`${acknowledged} records acknowledged, ${stored} stored`)
  const [warm, last] = [tenths[5], tenths[9]]
  const hasGrown =
    !warm ||
    !last ||
    last.memory > GROWTH * warm.memory ||
    last.connections > warm.connections + 2 ||
    last.files > warm.files + 20
  const isUnexpected = [...responses.keys()].some((key) => key.startsWith('UNEXPECTED'))
  if (hasGrown || stored !== acknowledged || isUnexpected) process.exitCode = 1
} finally {
  await service.stop()
  await database.close()
  await embedded.stop()
  await rm(directory, { recursive: true, force: true })
}
