/*
 * Exports 1,000,000 treatments while `user/me` is requested all the time: the spreadsheet of one device, or with
 * WHAT=json or WHAT=fhir the zip file of a family of 100 children, or with WHAT=bulk all files of a bulk export of them by a service.
 * Prints the server's memory and the time of `me` before and during the export. Environment: WHAT, ROWS, DATABASE_URL (an empty database).
 *
 *   node test/bench/export-million.ts
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { hashPassword } from '@companion/server/auth/password/passwords.ts'
import { openDatabase } from '@companion/server/database/database.ts'
import { storeGrant } from '@companion/server/grants/grant.ts'
import { addClient } from '@companion/server/oauth/manage-clients.ts'
import { openEmbeddedPostgres } from '@companion/server/embedded-postgres/open.ts'
import { p99Of, startEmbeddedService } from './embedded-service.ts'
import { load } from './load.ts'
import { residentMemory } from './process.ts'

const WHAT = process.env['WHAT'] ?? 'device'
const ROWS = Number(process.env['ROWS'] ?? 1_000_000)
/** Of the family, each with a device. */
const CHILDREN = Number(process.env['CHILDREN'] ?? (WHAT === 'device' ? 1 : 100))
const PASSWORD = 'a password for measurements only'
const PROBES_A_SECOND = 100
const SECRET = 'a secret for measurements only, 32 bytes or more'

const directory = await mkdtemp(join(tmpdir(), 'companion-bench-'))
const embedded = process.env['DATABASE_URL'] ? undefined : await openEmbeddedPostgres({ directory })
const url = process.env['DATABASE_URL'] ?? embedded?.url ?? ''
const database = await openDatabase(url, { pool: 2 })
await database.migrate()
const { accounts, uniqueId } = await load(database, SECRET, '2026-03-01')
await database.pool.query('UPDATE root_user SET password_hash = $1 WHERE id = 1', [
  await hashPassword(PASSWORD),
])
await database.pool.query('UPDATE real_user SET root_user_id = 1 WHERE id <= $1', [CHILDREN])
await database.pool.query(
  `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity,
     finish_flag, intensity_record)
   SELECT 1 + n % $2, 1 + n % $2, timestamp '2015-01-01' + n * interval '1 minute', 3600, n, 9, 1, '{0,1,2,3,4,5,6,7,8,9}'
   FROM generate_series(1, $1::int) n`,
  [ROWS, CHILDREN],
)
await database.pool.query('VACUUM ANALYZE treatment')

const service = await startEmbeddedService({ DATABASE_URL: url, TOKEN_SECRET: SECRET })
const backEnd = await letServiceIn()
/** The p99 of `me`, requested at a steady pace until `isOver`. */
const probe = (isOver: () => boolean) =>
  p99Of(`${service.url}/api/v1/beta/user/me`, accounts[0]?.token ?? '', {
    isOver,
    pauseMs: 1000 / PROBES_A_SECOND,
  })

const ask = () =>
  WHAT === 'device'
    ? fetch(
        `${service.url}/api/v1/gamma/device/export?unique_id=${uniqueId[0]}&start_date=2015-01-01&end_date=2026-12-31`,
      )
    : fetch(`${service.url}/api/v1/beta/user/export`, {
        method: 'POST',
        headers: { authorization: `Bearer ${accounts[0]?.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ format: WHAT, password: PASSWORD }),
      })

/** Lets a service reach all children, and resolves to what it signs in with. */
async function letServiceIn(): Promise<string> {
  const added = await database.transaction(async (sql) => {
    const { client_id, client_secret } = await addClient(sql, {
      name: 'Bench',
      publisher: 'Bench',
      url: 'https://bench.example.org',
      contact: 'bench@example.org',
      redirect_uris: [],
      scopes: ['child:read', 'usage:read'],
      is_public: false,
      jwks: null,
    })
    await storeGrant(sql, {
      rootUserId: 1,
      clientId: client_id,
      scopes: ['child:read', 'usage:read'],
      children: Array.from({ length: CHILDREN }, (_, n) => n + 1),
      expiresAt: null,
    })
    return `${client_id}:${client_secret}`
  })
  await database.close()
  return added
}

/** Takes a bulk export, as far as its last file, and resolves to their size. */
async function takeBulkExport(): Promise<number> {
  const signIn = async () => {
    const response = await fetch(`${service.url}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(backEnd).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'child:read usage:read' }),
    })
    const { access_token }: any = await response.json()
    return { authorization: `Bearer ${access_token}` }
  }
  const begun = await fetch(`${service.url}/fhir/$export`, {
    headers: { ...(await signIn()), prefer: 'respond-async' },
  })
  const at = begun.headers.get('content-location') ?? ''
  const began = performance.now()
  for (;;) {
    const response = await fetch(at, { headers: await signIn() })
    if (response.status === 200) {
      const made = ((performance.now() - began) / 1000).toFixed(0)
      console.log(`files made in ${made} s, RSS ${await residentMemory(service.pid, 'VmRSS')} MiB`)
      const { output }: any = await response.json()
      let size = 0
      for (const { url: file } of output) size += await sizeOf(await fetch(file, { headers: await signIn() }))
      return size
    }
    if (response.status !== 202) throw new Error(`export: ${response.status} ${await response.text()}`)
    await pause(2000)
  }
}

/** Reads the whole export and resolves to its size. */
const download = async () => (WHAT === 'bulk' ? takeBulkExport() : sizeOf(await ask()))

async function sizeOf(response: Response): Promise<number> {
  if (response.status !== 200) throw new Error(`export: ${response.status} ${await response.text()}`)
  let size = 0
  for await (const chunk of response.body ?? []) size += chunk.length
  return size
}

try {
  const warm = performance.now()
  await probe(() => performance.now() - warm > 2000)
  const started = performance.now()
  const quiet = await probe(() => performance.now() - started > 10_000)
  const before = await residentMemory(service.pid, 'VmRSS')

  const asked = performance.now()
  let isOver = false
  const exported = download().finally(() => (isOver = true))
  const [during, bytes] = await Promise.all([probe(() => isOver), exported])
  const seconds = (performance.now() - asked) / 1000
  const peak = await residentMemory(service.pid, 'VmHWM')
  console.log(
    `${ROWS} rows, ${(bytes / 1e6).toFixed(0)} MB in ${seconds.toFixed(0)} s; memory ${before} MiB before, peak ${peak} MiB; ` +
      `me p99 ${quiet.toFixed(1)} ms quiet, ${during.toFixed(1)} ms during the export (${(during / quiet).toFixed(1)} ×)`,
  )
} finally {
  await service.stop()
  await embedded?.stop()
  await rm(directory, { recursive: true, force: true })
}
