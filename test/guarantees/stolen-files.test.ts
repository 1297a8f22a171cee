import { execFile } from 'node:child_process'
import { randomInt, randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openDatabase } from '@companion/server/database/database.ts'
import { openEmbeddedPostgres } from '@companion/server/database/embedded/open.ts'
import type { Database } from '@companion/server/database/database.ts'
import { encryptedTables } from '@companion/server/database/encrypted-columns.ts'
import { expect, onTestFinished, test } from 'vitest'
import { addChild, anyPhone, devlogItem, PASSWORD, signUp, upload } from '../support/family.ts'
import { TEST_SECRET } from '../support/server.ts'
import { startServiceProcess } from '../support/service-process.ts'
import { until } from '../support/until.ts'

/*
 * What somebody finds who gets at PostgreSQL's files: its tables, its log of writes, temporary files, and the log of its
 * statements with their parameters, and at the service's own log at its most talkative. `STOLEN_FROM` is the URL of an empty
 * database of a server on this machine that writes its log to `postgres.log` among its data, and is dumped as well if its
 * `pg_dump` is there.
 */

const run = promisify(execFile)

/** The service on a cluster of its own, which logs each statement with its parameters. */
async function startService() {
  const directory = await mkdtemp(join(tmpdir(), 'companion-stolen-'))
  const given = process.env['STOLEN_FROM']
  const settings = { log_statement: 'all', log_error_verbosity: 'default' }
  const postgres =
    given === undefined
      ? await openEmbeddedPostgres({ directory: join(directory, 'postgres'), settings })
      : undefined
  const databaseUrl = given ?? postgres?.url ?? ''
  const service = await startServiceProcess(directory, {
    TOKEN_SECRET: TEST_SECRET,
    LOG_LEVEL: 'debug',
    TRUST_PROXY: '1',
    DATABASE_URL: databaseUrl,
  })
  await service.readiness(200)
  const database = await openDatabase(databaseUrl, { pool: 2 })
  onTestFinished(async () => {
    await database.close()
    service.terminate()
    await service.exited
    await postgres?.stop()
    await rm(directory, { recursive: true, force: true })
  })
  const { rows } = await database.pool.query(`SELECT current_setting('data_directory') AS data`)
  // Beside the data of an own cluster is its log.
  const files: string = postgres ? join(directory, 'postgres') : rows[0].data
  return { ...service, database, databaseUrl, files }
}

const canaries = () => ({
  email: `canary-${randomUUID()}@example.com`,
  phone: anyPhone(),
  parent: `Parent-${randomUUID()}`,
  family: `Family-${randomUUID()}`,
  parentBorn: '19030405',
  child: `Child-${randomUUID()}`,
  childBefore: `Before-${randomUUID()}`,
  childLast: `Last-${randomUUID()}`,
  childBorn: '20130506',
  memo: `memo-${randomUUID()}`,
  overwritten: `overwritten-${randomUUID()}`,
  medicine: `medicine-${randomUUID()}`,
  hospital: `hospital-${randomUUID()}`,
  alias: `alias-${randomUUID()}`,
  aliasBefore: `former-${randomUUID()}`,
  setAside: `set-aside-${randomUUID()}`,
  push: `push-token-${randomUUID()}`,
  invited: `invited-${randomUUID()}@example.com`,
  address: `2001:db8:${randomInt(0x1000, 0xffff).toString(16)}:88::99`,
})
type Canaries = ReturnType<typeof canaries>
type Service = Awaited<ReturnType<typeof startService>>

/** A family that leaves each canary wherever it goes. */
async function live(service: Service, canary: Canaries) {
  const from = { 'x-forwarded-for': canary.address }
  const { token } = await signUp(service, canary)
  const { real_user_id, unique_id, device_id, serial_code } = await addChild(service, token)
  const ok = async (answer: Promise<{ status: number }>) => expect((await answer).status).toBe(200)
  const names = { first_name: canary.parent, last_name: canary.family, birthdate: canary.parentBorn }
  await ok(service.patch('/api/v1/beta/user/root-user', { token, json: names }))
  for (const first_name of [canary.childBefore, canary.child])
    await ok(
      service.patch(`/api/v1/beta/user/real-user/${real_user_id}`, {
        token,
        json: { id: real_user_id, first_name, last_name: canary.childLast, birthdate: canary.childBorn },
      }),
    )
  const event_data = {
    medication: [{ medication_name: canary.medicine, medication_dose: 10 }],
    hospital: [canary.hospital],
  }
  for (const memo of [canary.overwritten, canary.memo]) {
    const json = { real_user_id, created_at: '2026-03-01', memo, event_data }
    await ok(service.post('/api/v1/beta/event', { token, json }))
  }
  for (const device_alias of [canary.aliasBefore, canary.alias])
    await ok(service.patch(`/api/v1/beta/device/${device_id}`, { token, json: { device_alias } }))
  const invited = { real_user_id, role: 'viewer', email: canary.invited }
  await ok(service.post('/api/v1/beta/share/invitation', { token, json: invited }))
  const bad = { ...devlogItem(unique_id, '1970-01-01T00:00:00'), note: canary.setAside }
  await ok(upload(service, [bad], { ...from, prefer: 'handling=lenient' }))
  await ok(upload(service, [devlogItem(unique_id, '2026-03-01T21:30:00')]))
  await ok(service.delete('/api/v1/gamma/device/devlog', { query: { unique_id }, headers: from }))
  const policy = { is_push_agree: true, push_token: canary.push }
  await ok(service.patch('/api/v1/beta/user/policy', { token, json: policy }))
  for (const password of ['wrong', PASSWORD])
    await service.post('/api/v1/alpha/auth/email/signin', {
      form: { username: canary.email, password },
      headers: from,
    })
  await ok(service.post('/api/v1/alpha/auth/email/password-reset', { json: { email: canary.email } }))
  await ok(
    service.post('/api/v1/alpha/auth/send-sms-auth', { json: { phone: canary.phone, purpose: 'recovery' } }),
  )
  const { body } = await service.post('/api/v1/alpha/auth/email/signin', {
    form: { username: canary.email, password: PASSWORD },
  })
  await until(async () => {
    const { rows } = await service.database.pool.query(
      `SELECT FROM trail WHERE real_user_id = $1 AND old_value IS NOT NULL`,
      [real_user_id],
    )
    return rows.length >= 4
  })
  return { token: String(body.access_token), serialCode: serial_code }
}

/** The canaries in a file, or in a text. */
function within(bytes: Buffer, canary: Record<string, string>): string[] {
  return Object.entries(canary).flatMap(([name, value]) =>
    [value, Buffer.from(value).toString('hex')].some((text) => bytes.includes(text)) ? [name] : [],
  )
}

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/** The canaries below a directory, each with the place of its file. Files come and go meanwhile. */
async function below(directory: string, canary: Record<string, string>): Promise<string[]> {
  const found = new Set<string>()
  for (const file of await filesBelow(directory)) {
    const bytes = await readFile(file).catch(() => Buffer.alloc(0))
    const [place = ''] = /base\/pgsql_tmp|pg_wal|base|postgres\.log/.exec(file) ?? []
    for (const name of within(bytes, canary)) found.add(`${place}: ${name}`)
  }
  return [...found].toSorted()
}

/** Sorts each table with personal columns on the disk, and does `work` while its temporary file is there. */
async function whileSorting({ pool }: Database, work: () => Promise<void>): Promise<void> {
  const session = await pool.connect()
  try {
    await session.query(`BEGIN; SET LOCAL work_mem = '64kB'`)
    for (const table of Object.keys(encryptedTables)) {
      await session.query(`DECLARE ${table}_rows CURSOR FOR
        SELECT t.*, n FROM ${table} t, generate_series(1, 3000) n ORDER BY md5(n::text)`)
      await session.query(`FETCH 1 FROM ${table}_rows`)
    }
    await work()
  } finally {
    await session.query('ROLLBACK')
    session.release()
  }
}

/** A dump in plain SQL; nothing where there is no program of this server's version. */
async function dumped({ databaseUrl, database }: Service): Promise<Buffer> {
  const { rows } = await database.pool.query(
    `SELECT current_setting('server_version_num')::int / 10000 AS major`,
  )
  const { stdout: version } = await run('pg_dump', ['--version']).catch(() => ({ stdout: '' }))
  if (!version.includes(` ${rows[0].major}.`)) return Buffer.alloc(0)
  const { stdout } = await run('pg_dump', [databaseUrl], { encoding: 'buffer', maxBuffer: 1e9 })
  return stdout
}

test('no file of PostgreSQL and no log holds what a family has written', async () => {
  const service = await startService()
  const { pool } = service.database
  const canary = canaries()
  const { token, serialCode } = await live(service, canary)
  const exported = service.post('/api/v1/beta/user/export', {
    token,
    json: { format: 'fhir', password: PASSWORD },
  })

  // What may be read shows that it would be found.
  const sought = { ...canary, serialCode }
  await pool.query('CHECKPOINT')
  await whileSorting(service.database, async () => {
    const places = ['base/pgsql_tmp', 'base', 'pg_wal', 'postgres.log']
    expect(await below(service.files, sought)).toEqual(places.map((place) => `${place}: serialCode`))
  })
  expect((await exported).status).toBe(200)
  const dump = await dumped(service)
  if (dump.length > 0) expect(within(dump, sought)).toEqual(['serialCode'])
  expect(within(Buffer.from(service.log()), canary)).toEqual([])
})
