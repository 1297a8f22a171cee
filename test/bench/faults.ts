/*
 * Kills the service (50 times) and its PostgreSQL (20 times) in the middle of uploads, with `kill -9` and
 * `pg_ctl -m immediate`. Then counts acknowledged uploads that are lost, batches stored by half, and doubled records.
 *
 *   node test/bench/faults.ts            KILLS=50 STOPS=20 as environment
 */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openDatabase } from '@companion/server/database/database.ts'
import { startProcess } from './process.ts'

const KILLS = Number(process.env['KILLS'] ?? 50)
const STOPS = Number(process.env['STOPS'] ?? 20)
const ITEMS = 10
const SENDERS = 8
const SECRET = 'a secret for measurements only, 32 bytes or more'
const bin = process.env['PG_BIN'] ?? '/usr/lib/postgresql/15/bin'
const port = process.env['PGPORT'] ?? '55499'
const directory = await mkdtemp(join(tmpdir(), 'companion-failures-'))
const cluster = join(directory, 'pg')
const execute = promisify(execFile)
const isRoot = process.getuid?.() === 0
const pg = (program: string, ...args: string[]) =>
  isRoot
    ? execute('runuser', ['-u', 'postgres', '--', join(bin, program), ...args])
    : execute(join(bin, program), args)
const startPostgres = () =>
  pg(
    'pg_ctl',
    '-D',
    cluster,
    '-w',
    '-l',
    join(cluster, 'log'),
    '-o',
    `-p ${port} -k '' -h 127.0.0.1`,
    'start',
  )

if (isRoot) await execute('chown', ['postgres', directory])
await pg('initdb', '-D', cluster, '-U', 'bench', '--auth=trust', '-E', 'UTF8')
await startPostgres()
const url = `postgres://bench@127.0.0.1:${port}/postgres`
const database = await openDatabase(url, { pool: 2 })
await database.migrate()
const devices = Array.from({ length: 20 }, () => randomUUID())
await database.pool.query(
  `INSERT INTO root_user (id, first_name, last_name, birthdate, gender, is_phone_number_checked, is_signup_completed,
     register_type, national_code) VALUES (1, '', '', '', 'P', true, true, 'E', 'KR')`,
)
await database.pool.query(
  `INSERT INTO real_user (id, root_user_id, first_name, last_name, birthdate, gender) VALUES (1, 1, '', '', '', 'P')`,
)
await database.pool.query(
  `INSERT INTO device (unique_id, serial_code, mac_id, device_alias, real_user_id)
   SELECT id, 'FAULT-' || n, '0000', '', 1 FROM unnest($1::uuid[]) WITH ORDINALITY AS d (id, n)`,
  [devices],
)
await database.close()

const serve = () =>
  startProcess('./serve.ts', {
    DATABASE_URL: url,
    DATA_DIR: directory,
    TOKEN_SECRET: SECRET,
    LOG_LEVEL: 'silent',
  })
let server = await serve()
const over = new AbortController()
let batch = 0
const acknowledged: number[] = []
const unanswered = { count: 0 }

/** Uploads for one device after the other. Each batch has a number, which its records carry as `movement`. */
async function send(): Promise<void> {
  while (!over.signal.aborted) {
    const number = (batch += 1)
    const items = Array.from({ length: ITEMS }, (_, n) => ({
      unique_id: devices[(number + n) % devices.length],
      detail_data: {
        treatment_date: new Date(Date.UTC(2016, 0, 1) + (number * ITEMS + n) * 1000)
          .toISOString()
          .slice(0, 19),
        finish_flag: '1',
        last_intensity: 1,
        treatment_time: 60,
        movement: number,
      },
      intensity_record: [{ intensity: 1 }],
      log_file_id: number,
    }))
    const body = JSON.stringify(items)
    // A device sends an unanswered batch again. A batch that never gets a response may be stored or not, but not by
    // half.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const status = await fetch(`http://127.0.0.1:${server.port}/api/v1/gamma/device/devlog`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(10_000),
      }).then(
        (response) => response.status,
        () => 0,
      )
      if (status === 200) {
        acknowledged.push(number)
        break
      }
      unanswered.count += 1
      await pause(20)
    }
  }
}

const senders = Array.from({ length: SENDERS }, send)
for (let n = 0; n < KILLS; n += 1) {
  await pause(200 + Math.random() * 300)
  server.kill()
  server = await serve()
}
for (let n = 0; n < STOPS; n += 1) {
  await pause(300 + Math.random() * 300)
  await pg('pg_ctl', '-D', cluster, '-m', 'immediate', 'stop')
  await startPostgres()
}
await pause(1000)
over.abort()
await Promise.all(senders)
await server.stop()

const after = await openDatabase(url, { pool: 2 })
const { rows } = await after.pool.query<{ movement: number; count: number; distinct: number }>(
  `SELECT movement, count(*)::int AS count, count(DISTINCT treatment_date)::int AS distinct
   FROM treatment GROUP BY movement`,
)
await after.close()
await pg('pg_ctl', '-D', cluster, '-m', 'fast', 'stop')
await rm(directory, { recursive: true, force: true })
const stored = new Map(rows.map((row) => [row.movement, row]))
const lost = acknowledged.filter((number) => !stored.has(number)).length
const half = rows.filter(({ distinct }) => distinct !== ITEMS).length
const doubled = rows.filter(({ count, distinct }) => count !== distinct).length
console.log(
  `${KILLS} kills, ${STOPS} immediate stops: ${batch} batches sent, ${acknowledged.length} acknowledged, ` +
    `${unanswered.count} attempts unanswered; ${lost} acknowledged lost, ${half} half batches, ${doubled} doubled`,
)
if (lost + half + doubled > 0) process.exitCode = 1
