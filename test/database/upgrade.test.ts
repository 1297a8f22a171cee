import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { connect, openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { openEmbeddedPostgres } from '@companion/server/embedded-postgres/open.ts'
import { migrations } from '@companion/server/database/migrate.ts'
import { schemaText } from '@companion/server/schema-text'
import { companion } from '../support/command.ts'
import { bareDatabase, cloneDatabase, columnsOf, contents } from '../support/database.ts'
import { addChild, devlogItem, signIn, signUp, upload } from '../support/family.ts'
import { somebodyWaits } from '../support/lock-waits.ts'
import { startServer, TEST_SECRET } from '../support/server.ts'
import { spawnService, startServiceProcess } from '../support/service-process.ts'
import { until } from '../support/until.ts'

/* A database that the version before has made is brought up to date without loss. */

const text = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')

/** What the migrations after `0001-schema` change, beside the rows of a family. */
const ROWS_BEFORE = `
  INSERT INTO client (id, client_id, name, publisher, url, contact, redirect_uris, scopes, is_public)
  VALUES (7, 'seven', 'Seven', 'Seven', 'https://a.example', 'a@a.example', '{}', '{}', true);
  INSERT INTO webhook (id, client_id, url, salt, disabled_at) VALUES (71, 7, 'https://a.example', '', NULL),
    (72, 7, 'https://a.example', '', NULL), (73, 7, 'https://a.example', '', now()), (74, 7, 'https://b.example', '', now());
  INSERT INTO trail_upload (at, operation, accounts, devices, children, outcomes, times, address_hashes, request_ids)
  SELECT timestamptz '2026-03-01T12:00:00Z' + n * interval '1 minute', 'devlogs.upload', '{NULL,7}', '{5,NULL}', '{3,3}', '{ok,ok}',
    '{1,2}', '{NULL,NULL}', '{one,NULL}' FROM generate_series(1, 2) n`

interface Family {
  email: string
  unique_id: string
  real_user_id: number
}

/** A database as `0001-schema` made it, before there were functions, with a family in it. */
async function oldDatabase(): Promise<{ url: string; database: Database; family: Family }> {
  const { url, drop } = await bareDatabase()
  const orm = await connect(url, 2)
  await orm.migrator.up({ to: '0001-schema' })
  await orm.close()
  const database = await openDatabase(url, { pool: 4 })
  onTestFinished(async () => {
    await database.close()
    await drop()
  })
  const family = await addFamily(database)
  await database.pool.query(ROWS_BEFORE)
  return { url, database, family }
}

/** Has a family made in a new database, and copies its rows: all columns that the old one has too. */
async function addFamily(old: Database): Promise<Family> {
  const { url, drop } = await cloneDatabase()
  const server = await startServer({}, url)
  const { email, token } = await signUp(server)
  const { unique_id, real_user_id } = await addChild(server, token)
  const json = { real_user_id, created_at: '2026-03-01', memo: `잘 잤어요. 😀 \\ ' " %` }
  await server.post('/api/v1/beta/event', { token, json })
  await upload(server, [devlogItem(unique_id, '2026-03-01T21:30:00')])
  await server.stop()
  const made = await openDatabase(url, { pool: 1 })
  const columns = await columnsOf(made)
  const target = await old.pool.connect()
  // Without foreign keys, in whose order the tables do not come.
  await target.query(`SET session_replication_role = replica`)
  for (const [table, all] of Object.entries(await columnsOf(old))) {
    const common = all.split(', ').filter((column) => columns[table]?.split(', ').includes(column))
    if (['migration', 'trail_upload'].includes(table) || common.length === 0) continue
    const { rows } = await made.pool.query(
      `SELECT json_agg(t) AS rows FROM (SELECT ${common.join()} FROM ${table}) t`,
    )
    await target.query(`DELETE FROM ${table}`)
    await target.query(
      `INSERT INTO ${table} (${common.join()}) OVERRIDING SYSTEM VALUE
       SELECT ${common.join()} FROM json_populate_recordset(NULL::${table}, $1)`,
      [JSON.stringify(rows[0]?.rows ?? [])],
    )
  }
  await target.query(`
    SELECT setval(pg_get_serial_sequence('treatment', 'id'), 1000), setval(pg_get_serial_sequence('security_record', 'id'), 1000);
    RESET session_replication_role`)
  target.release()
  await made.close()
  await drop()
  return { email, unique_id, real_user_id }
}

const applied = async ({ pool }: Database) =>
  (await pool.query('SELECT name FROM migration ORDER BY id')).rows.map(({ name }) => name)
const everyMigration = migrations.map(({ name }) => name)

/** The schema as the repository describes it. */
const expectedSchema = async () => (await text('../../server/schema.sql')).replace(/^--.*\n/, '')

test('a database of the version before keeps every row, and its schema is that of a new one', async () => {
  const { url, database, family } = await oldDatabase()
  const every = await columnsOf(database)
  const kept = [
    'treatment',
    'event',
    'device',
    'device_history',
    'real_user',
    'root_user',
    'security_record',
    'trail',
    'consent',
  ]
  const columns = Object.fromEntries(kept.map((name) => [name, every[name] ?? '']))
  const before = await contents(database, columns)
  expect(before).toMatchObject({
    treatment: expect.stringMatching(/^1 /),
    event: expect.stringMatching(/^1 /),
  })
  expect(await database.isReady()).toBe(false)

  expect(await database.migrate()).toContain('erase-child')
  expect(await contents(database, columns)).toEqual(before)
  expect(await schemaText(database.pool)).toBe(await expectedSchema())
  expect(await applied(database)).toEqual(everyMigration)
  expect(await database.isReady()).toBe(true)
  expect(await database.migrate()).toEqual([])
  const found = async (text: string) => (await database.pool.query(text)).rows
  const uploads = `SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') AS day, actor_kind, actor, real_user_id, times
    FROM trail_upload ORDER BY actor_kind`
  const day1 = { day: '2026-03-01 00:00', real_user_id: 3 }
  expect(await found(uploads)).toEqual([
    { ...day1, actor_kind: 'account', actor: '7', times: 4 },
    { ...day1, actor_kind: 'device', actor: '5', times: 2 },
  ])

  const { rows: webhooks } = await database.pool.query('SELECT id FROM webhook ORDER BY id')
  expect(webhooks).toEqual([{ id: 72 }, { id: 74 }])

  const server = await startServer({}, url)
  onTestFinished(() => server.stop())
  const { body: session } = await signIn(server, family.email)
  const day = { real_user_id: family.real_user_id, event_date: '2026-03-01' }
  expect(await server.get('/api/v1/beta/event', { token: session.access_token, query: day })).toMatchObject({
    status: 200,
    body: { memo: `잘 잤어요. 😀 \\ ' " %` },
  })
  expect(await upload(server, [devlogItem(family.unique_id, '2026-03-01T21:30:00')])).toMatchObject({
    status: 200,
  })
  expect(await contents(database, { treatment: columns['treatment'] ?? '' })).toEqual({
    treatment: before['treatment'],
  })
})

test('one that is older than 0001-schema is left as it is', async () => {
  const { database } = await oldDatabase()
  await database.pool.query(`INSERT INTO migration (name) VALUES ('0002-deletions-of-a-child')`)
  const before = await contents(database)
  await expect(database.migrate()).rejects.toThrow('which version has to migrate it first')
  expect(await contents(database)).toEqual(before)
})

test('of several processes that start on it at once, one migrates it', async () => {
  const { url, database } = await oldDatabase()
  const others = await Promise.all([1, 2].map(() => openDatabase(url, { pool: 2 })))
  const done = await Promise.all([database, ...others].map((each) => each.migrate()))
  await Promise.all(others.map((each) => each.close()))
  expect(done.filter(({ length }) => length > 0)).toHaveLength(1)
  expect(await applied(database)).toEqual(everyMigration)
})

test('a process that is killed half way leaves it as it was, and the next one goes on', async () => {
  const { url, database } = await oldDatabase()
  const { treatment = '' } = await columnsOf(database)
  const before = await contents(database)
  const directory = await mkdtemp(join(tmpdir(), 'companion-upgrade-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const environment = { DATABASE_URL: url, TOKEN_SECRET: TEST_SECRET }

  // After it has made a table, it waits until this lock is given back.
  const holder = await database.pool.connect()
  await holder.query(`SELECT pg_advisory_lock(1);
    CREATE FUNCTION wait_half_way() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN IF to_regclass('plan') IS NOT NULL THEN PERFORM pg_advisory_xact_lock(1); END IF; END $$;
    CREATE EVENT TRIGGER half_way ON ddl_command_end EXECUTE FUNCTION wait_half_way()`)
  const killed = spawnService(directory, environment)
  const waits = `FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()`
  await until(async () => (await database.pool.query(`SELECT ${waits}`)).rowCount === 1)
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  // PostgreSQL does not notice that the client of a statement that waits is gone.
  await database.pool.query(`SELECT pg_terminate_backend(pid) ${waits}`)
  expect(await contents(database)).toEqual(before)

  const next = await startServiceProcess(directory, environment)
  await next.readiness(503)
  await holder.query(`SELECT pg_advisory_unlock(1); DROP EVENT TRIGGER half_way; DROP FUNCTION wait_half_way`)
  holder.release()
  await next.readiness(200)
  next.terminate()
  expect(await next.exited).toBe(0)
  expect(await schemaText(database.pool)).toBe(await expectedSchema())
  expect(await applied(database)).toEqual(everyMigration)
  expect(await contents(database, { treatment })).toEqual({ treatment: before['treatment'] })
})

test('it waits for a table that a long transaction reads, and nobody waits behind it', async () => {
  const { url, database } = await oldDatabase()
  const reader = await database.pool.connect()
  await reader.query('BEGIN; SELECT FROM security_record, device')
  const directory = await mkdtemp(join(tmpdir(), 'companion-upgrade-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const service = await startServiceProcess(directory, { DATABASE_URL: url, TOKEN_SECRET: TEST_SECRET })

  // It has tried without success, and says so.
  await until(() => service.log().includes('tables are in use'))
  const writer = await openDatabase(url, { pool: 1, statementSeconds: 20 })
  const write = `INSERT INTO security_record (recorded_at, action) VALUES (now(), 'code_sent')`
  for (let n = 0; n < 3; n += 1) {
    await somebodyWaits(database)
    await writer.pool.query(write)
  }
  await writer.close()
  await service.readiness(503)

  await reader.query('COMMIT')
  reader.release()
  await service.readiness(200)
  service.terminate()
  expect(await service.exited).toBe(0)
  expect(await schemaText(database.pool)).toBe(await expectedSchema())
})

test('a transaction that holds a table that it wants, and wants one that it has, goes on', async () => {
  const { database } = await oldDatabase()
  const caller = await database.pool.connect()
  await caller.query('BEGIN; SELECT FROM treatment')
  const migrated = database.migrate()
  await somebodyWaits(database)
  // PostgreSQL would end one of the two after its `deadlock_timeout`.
  await caller.query('SELECT FROM device; COMMIT')
  caller.release()
  expect(await migrated).toContain('erase-child')
})

test('an autovacuum of a table gives way', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'companion-autovacuum-'))
  // PostgreSQL runs under an account of its own when this runs as root.
  await chmod(directory, 0o755)
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const postgres = await openEmbeddedPostgres({
    directory,
    settings: { fsync: 'off', autovacuum_naptime: '1s', autovacuum_vacuum_cost_delay: '100ms' },
  })
  onTestFinished(() => postgres.stop())
  const database = await openDatabase(postgres.url, { pool: 2 })
  onTestFinished(() => database.close())
  const { pool } = database
  await database.migrate()
  // At a record's cost a page, and a pause after each, it would take minutes.
  await pool.query(
    `ALTER TABLE rate_limit SET (autovacuum_vacuum_cost_limit = 1, autovacuum_vacuum_threshold = 1)`,
  )
  await pool.query(`INSERT INTO rate_limit SELECT 'key ' || n FROM generate_series(1, 100000) n`)
  await pool.query(
    `DELETE FROM rate_limit; UPDATE applied_function SET hash = 'older' WHERE name = 'erase-child'`,
  )
  const vacuums = `SELECT FROM pg_stat_progress_vacuum WHERE relid = 'rate_limit'::regclass`
  await until(async () => (await pool.query(vacuums)).rowCount === 1)
  expect(await database.migrate()).toEqual(['erase-child'])
})

test('a function is applied again when its text has changed, but not over the text of a newer version', async () => {
  const { url, database } = await oldDatabase()
  const { pool } = database
  await database.migrate()
  const replace = (body: string) =>
    pool.query(`CREATE OR REPLACE FUNCTION erase_child() RETURNS trigger LANGUAGE plpgsql AS '${body}'`)

  await replace('BEGIN RETURN NULL; END')
  await pool.query(`UPDATE applied_function SET hash = 'older' WHERE name = 'erase-child'`)
  expect(await database.isReady()).toBe(false)
  const plan = () => companion({ databaseUrl: url }, 'migrate', '--dry-run')
  expect(await plan()).toMatchObject({ code: 0, out: 'Pending: erase-child\n' })
  expect(await database.migrate()).toEqual(['erase-child'])
  expect(await plan()).toMatchObject({ code: 0, out: 'The schema is up to date\n' })
  expect(await schemaText(pool)).toBe(await expectedSchema())

  // A newer version's start has replaced it since.
  await replace('BEGIN RETURN NEW; END')
  await pool.query(`INSERT INTO applied_function VALUES ('newer', 'erase-child', clock_timestamp())`)
  expect(await database.isReady()).toBe(true)
  expect(await database.migrate()).toEqual([])
  expect(await schemaText(pool)).not.toBe(await expectedSchema())

  // That version was taken back.
  const server = await startServer({}, url)
  onTestFinished(() => server.stop())
  const downgrades = () => companion(server, 'migrate', '--downgrade')
  expect(await downgrades()).toMatchObject({ code: 0, out: 'Applied: erase-child\n' })
  expect(await schemaText(pool)).toBe(await expectedSchema())
  expect(await downgrades()).toMatchObject({ code: 0, out: 'The schema is up to date\n' })
  // When that version comes again, it puts its text back.
  expect((await pool.query(`SELECT FROM applied_function WHERE hash = 'newer'`)).rowCount).toBe(0)
})
