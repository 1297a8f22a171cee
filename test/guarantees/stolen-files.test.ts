import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openDatabase } from '@companion/server/database/database.ts'
import { openEmbeddedPostgres } from '@companion/server/embedded-postgres/open.ts'
import type { Database } from '@companion/server/database/database.ts'
import { encryptedTables } from '@companion/server/encrypted-columns/encrypted-tables.ts'
import { expect, onTestFinished, test } from 'vitest'
import { canaries, canariesIn, live } from '../support/canaries.ts'
import { PASSWORD } from '../support/family.ts'
import { TEST_SECRET } from '../support/server.ts'
import { startServiceProcess } from '../support/service-process.ts'

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

type Service = Awaited<ReturnType<typeof startService>>

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
    for (const name of canariesIn(bytes, canary)) found.add(`${place}: ${name}`)
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
  if (dump.length > 0) expect(canariesIn(dump, sought)).toEqual(['serialCode'])
  expect(canariesIn(Buffer.from(service.log()), canary)).toEqual([])
})
