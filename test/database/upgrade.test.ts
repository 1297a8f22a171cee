import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { openEmbeddedPostgres } from '@companion/server/database/embedded/open.ts'
import { reencrypt } from '@companion/server/database/reencrypt.ts'
import { migrations } from '@companion/server/database/migrate.ts'
import { DEMO_EMAIL, DEMO_PASSWORD } from '@companion/server/demo/family.ts'
import { schemaText } from '@companion/server/schema-text'
import { companion } from '../support/command.ts'
import { bareDatabase, columnsOf, contents } from '../support/database.ts'
import { devlogItem, signIn, upload } from '../support/family.ts'
import { somebodyWaits } from '../support/lock.ts'
import { startServer, TEST_SECRET } from '../support/server.ts'
import { spawnService, startServiceProcess } from '../support/service-process.ts'
import { until } from '../support/until.ts'

/* A database that older code has made is brought up to date without loss. */

const text = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')

/** The database of commit 7c24e3c, before anything else has seen it. */
async function oldDatabase(): Promise<{ url: string; database: Database }> {
  const { url, drop } = await bareDatabase()
  // The dump leaves its session with settings of its own.
  const session = await openDatabase(url, { pool: 1 })
  await session.pool.query(await text('../fixtures/database-of-7c24e3c.sql'))
  await session.close()
  const database = await openDatabase(url, { pool: 4 })
  onTestFinished(async () => {
    await database.close()
    await drop()
  })
  return { url, database }
}

const applied = async ({ pool }: Database) =>
  (await pool.query('SELECT name FROM migration ORDER BY id')).rows.map(({ name }) => name)

/** The schema as the repository describes it. */
const expectedSchema = async () => (await text('../../server/schema.sql')).replace(/^--.*\n/, '')

test('a database of 14 migrations keeps every row, and its schema is that of a new one', async () => {
  const { database } = await oldDatabase()
  const columns = await columnsOf(database)
  const { migration, ...before } = await contents(database)
  expect(migration).toMatch(/^14 /)
  expect(Object.entries(before).filter(([, rows]) => rows.startsWith('0 '))).toEqual([])
  expect(await database.isReady()).toBe(false)

  const due = await database.migrate()
  expect(due).toContain('store-devlogs-together')
  expect(due).not.toContain('0001-schema')
  expect(await contents(database, columns)).toMatchObject(before)
  // Of what the first deletion took, all has been restored and deleted again.
  const deletions = await database.pool.query('SELECT id, deleted_count, real_user_id FROM devlog_deletion')
  const taken = await database.pool.query('SELECT DISTINCT real_user_id FROM treatment WHERE deletion_id = 2')
  expect(deletions.rows).toEqual([
    { id: 1, deleted_count: 2, real_user_id: null },
    { id: 2, deleted_count: 2, ...taken.rows[0] },
  ])
  expect(taken.rows).toHaveLength(1)
  expect(await schemaText(database.pool)).toBe(await expectedSchema())
  expect(await applied(database)).toEqual(migrations.map(({ name }) => name))
  expect(await database.isReady()).toBe(true)
  expect(await database.migrate()).toEqual([])
})

test('readings are summed as they are, also by a process that goes on for another', async () => {
  const { database } = await oldDatabase()
  const wrong = async () =>
    (
      await database.pool.query(
        `SELECT FROM reading_day FULL JOIN (
           SELECT basestation_id, measured_at::date AS date, root_user_id, count(*) AS readings,
             max(measured_at) AS last_measured_at, sum(temperature::numeric) AS temperature,
             sum(humidity::numeric) AS humidity, sum(brightness) AS brightness, sum(noise) AS noise
           FROM sleep_reading GROUP BY 1, 2, 3
         ) sums USING (basestation_id, date, root_user_id, readings, last_measured_at, temperature, humidity, brightness, noise)
         WHERE reading_day IS NULL OR sums IS NULL`,
      )
    ).rowCount
  await database.migrate()
  expect(await wrong()).toBe(0)
  // As one leaves it that ends before the first base station.
  await database.pool.query('UPDATE reading_day SET readings = 0')
  await database.pool.query('UPDATE reading_horizon SET summed_station = 0')
  expect(await wrong()).toBeGreaterThan(0)
  expect(await database.isReady()).toBe(false)
  await database.migrate()
  expect(await wrong()).toBe(0)
  expect(await database.isReady()).toBe(true)
})

test('what servers of the version before write of accesses goes on the trail', async () => {
  const { database } = await oldDatabase()
  await database.migrate()
  const { rows: children } = await database.pool.query('SELECT id FROM real_user ORDER BY id LIMIT 1')
  for (const [table, who] of [
    ['child_access', 'member_id'],
    ['application_access', 'client_id'],
  ]) {
    await database.pool.query(
      `INSERT INTO ${table} (real_user_id, hour, ${who}, operation, times)
       SELECT $1, date_trunc('hour', now()), 7, 'charts.recent', n FROM generate_series(2, 3) n
       ON CONFLICT (real_user_id, hour, ${who}, operation) DO UPDATE SET times = ${table}.times + excluded.times`,
      [children[0].id],
    )
    expect((await database.pool.query(`SELECT FROM ${table}`)).rowCount).toBe(0)
  }
  const { rows } = await database.pool.query(
    'SELECT actor_kind, actor, operation, real_user_id, sum(times)::int AS times FROM trail GROUP BY 1, 2, 3, 4 ORDER BY 1',
  )
  const told = { actor: '7', operation: 'charts.recent', real_user_id: children[0].id, times: 5 }
  expect(rows).toEqual([
    { actor_kind: 'client', ...told },
    { actor_kind: 'member', ...told },
  ])
})

test('the service goes on with it', async () => {
  const { url, database } = await oldDatabase()
  await database.migrate()
  const server = await startServer({}, url)
  onTestFinished(() => server.stop())
  const rows = async (sql: string) => (await database.pool.query(sql)).rows
  const count = async (table: string, condition = 'true') =>
    (await rows(`SELECT FROM ${table} WHERE ${condition}`)).length

  expect(await signIn(server, DEMO_EMAIL, DEMO_PASSWORD)).toMatchObject({ status: 200 })
  const { body: session } = await signIn(server, 'kim@example.com')
  const token: string = session.access_token
  const [{ unique_id, real_user_id }] = await rows(
    `SELECT d.unique_id, r.id AS real_user_id FROM device d JOIN real_user r ON r.id = d.real_user_id
     JOIN root_user u ON u.id = r.root_user_id WHERE u.email = 'kim@example.com' ORDER BY d.id`,
  )
  const day = { real_user_id, event_date: '2026-11-11' }
  expect(await server.get('/api/v1/beta/event', { token, query: day })).toMatchObject({
    status: 200,
    body: { memo: `잘 잤어요. 😀 \\ ' " %` },
  })

  // A record that is there, one that completes a temporary one, and a new one with a contact fault.
  const stored = await count('treatment')
  const ofKim = `device_id = (SELECT id FROM device WHERE unique_id = '${unique_id}')`
  const alerts = await count('alert', ofKim)
  for (const [date, log_file_id, finish_flag] of [
    ['2026-11-11T21:30:00', 1, 1],
    ['2026-11-15T21:30:00.123456', 6, 1],
    ['2026-11-19T21:30:00', 10, 4],
  ] as const) {
    const item = devlogItem(unique_id, date, { log_file_id, finish_flag })
    expect(await upload(server, [item])).toMatchObject({ status: 200 })
  }
  expect(await count('treatment')).toBe(stored + 1)
  expect(await count('treatment', `is_temp AND ${ofKim}`)).toBe(0)
  expect(await count('alert', ofKim)).toBe(alerts + 2)

  const versions = await count('event_version')
  const json = { real_user_id, created_at: '2026-11-11', memo: 'Another night.' }
  expect(await server.post('/api/v1/beta/event', { token, json })).toMatchObject({ status: 200 })
  expect(await count('event_version')).toBe(versions + 1)
  expect(await companion(server, 'account', 'export', 'kim@example.com')).toMatchObject({
    code: 0,
    out: expect.stringContaining('Another night.'),
  })
  expect(await server.delete('/api/v1/beta/user/root-user', { token })).toMatchObject({ status: 200 })
  for (const table of ['treatment', 'event', 'survey', 'rejected_devlog']) {
    expect([table, await count(table, `real_user_id = ${real_user_id}`)]).toEqual([table, 0])
  }
})

test('of several processes that start on it at once, one takes it over', async () => {
  const { url, database } = await oldDatabase()
  const others = await Promise.all([1, 2].map(() => openDatabase(url, { pool: 2 })))
  const done = await Promise.all([database, ...others].map((each) => each.migrate()))
  await Promise.all(others.map((each) => each.close()))
  expect(done.filter(({ length }) => length > 0)).toHaveLength(1)
  expect(await applied(database)).toEqual(migrations.map(({ name }) => name))
})

test('a process that is killed half way leaves it as it was, and the next one goes on', async () => {
  const { url, database } = await oldDatabase()
  const before = await contents(database)
  const directory = await mkdtemp(join(tmpdir(), 'companion-upgrade-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const environment = { DATABASE_URL: url, TOKEN_SECRET: TEST_SECRET }

  // Its second table is not made before this lock is given back.
  const holder = await database.pool.connect()
  await holder.query(`SELECT pg_advisory_lock(1);
    CREATE FUNCTION wait_at_event() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN IF to_regclass('invitation') IS NOT NULL THEN PERFORM pg_advisory_xact_lock(1); END IF; END $$;
    CREATE EVENT TRIGGER half_way ON ddl_command_end EXECUTE FUNCTION wait_at_event()`)
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
  await holder.query(`SELECT pg_advisory_unlock(1); DROP EVENT TRIGGER half_way; DROP FUNCTION wait_at_event`)
  holder.release()
  await next.readiness(200)
  next.terminate()
  expect(await next.exited).toBe(0)
  expect(await schemaText(database.pool)).toBe(await expectedSchema())
  expect(await applied(database)).toEqual(migrations.map(({ name }) => name))
  expect((await contents(database))['treatment']).toBe(before['treatment'])
})

test('it waits for a table that a long transaction reads, and nobody waits behind it', async () => {
  const { url, database } = await oldDatabase()
  const reader = await database.pool.connect()
  await reader.query('BEGIN; SELECT FROM security_record, device')
  const directory = await mkdtemp(join(tmpdir(), 'companion-upgrade-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const service = await startServiceProcess(directory, { DATABASE_URL: url, TOKEN_SECRET: TEST_SECRET })

  // It has tried in vain, and says so.
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

test('who holds a table that it wants, and wants one that it has, goes on', async () => {
  const { database } = await oldDatabase()
  const caller = await database.pool.connect()
  await caller.query('BEGIN; SELECT FROM treatment')
  const migrated = database.migrate()
  await somebodyWaits(database)
  // PostgreSQL would end one of the two after its `deadlock_timeout`.
  await caller.query('SELECT FROM device; COMMIT')
  caller.release()
  expect(await migrated).toContain('0005-shared-children')
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

test('one that lacks some of the 14 migrations is left as it is', async () => {
  const { database } = await oldDatabase()
  await database.pool.query(`DELETE FROM migration WHERE name LIKE '%rejected%'`)
  const before = await contents(database)
  await expect(database.migrate()).rejects.toThrow('only 13 of the 14 migrations')
  expect(await contents(database)).toEqual(before)
})

test('a function is applied again when its text has changed, but not over the text of a newer version', async () => {
  const { url, database } = await oldDatabase()
  await database.migrate()
  const { pool } = database
  const replace = (body: string) =>
    pool.query(`CREATE OR REPLACE FUNCTION erase_child() RETURNS trigger LANGUAGE plpgsql AS '${body}'`)

  // As it was before this code's text: this code has never been here.
  await replace('BEGIN RETURN NULL; END')
  await pool.query(`UPDATE applied_function SET hash = 'older' WHERE name = 'erase-child'`)
  expect(await database.isReady()).toBe(false)
  expect(await database.migrate()).toEqual(['erase-child'])
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
  const putBack = () => companion(server, 'migrate', '--put-back')
  expect(await putBack()).toMatchObject({ code: 0, out: 'Applied erase-child\n' })
  expect(await schemaText(pool)).toBe(await expectedSchema())
  expect(await putBack()).toMatchObject({ code: 0, out: 'The schema is up to date\n' })
})

test('its personal columns are encrypted when that is asked for, also after a run that broke off', async () => {
  const { url, database } = await oldDatabase()
  await database.migrate()
  const server = await startServer({}, url)
  onTestFinished(() => server.stop())
  const exported = async () => {
    const { result } = await companion(server, 'account', 'export', 'KIM@example.com', '--json')
    const { security_record: _record, ...family } = result
    // In an order of their own: rows have moved.
    for (const rows of Object.values(family))
      if (Array.isArray(rows))
        rows.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
    // Which gains a row with each export.
    delete family.trail
    return family
  }
  const family = await exported()
  const { email, phone, first_name } = family.root_user
  const children = family.real_user.map((child: { first_name: string }) => child.first_name)
  const notes = family.event.map((event: { memo: string }) => event.memo)
  const personal = [email, phone, first_name, ...children, ...notes].filter(Boolean)
  expect(personal.length).toBeGreaterThan(4)
  const readable = async () => {
    const { rows: tables } = await database.pool.query(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
    )
    const told = []
    for (const { name } of tables) {
      const { rows } = await database.pool.query(`SELECT to_jsonb(t) AS row FROM ${name} t`)
      const content = JSON.stringify(rows)
      told.push(...personal.filter((value) => content.includes(JSON.stringify(value).slice(1, -1))))
    }
    return told
  }
  expect(new Set(await readable())).toEqual(new Set(personal))

  const killed = reencrypt(server.database, (values) => {
    if (values > 0) throw new Error('killed')
  })
  await expect(killed).rejects.toThrow('killed')
  expect(await exported()).toEqual(family)
  expect((await readable()).length).toBeGreaterThan(0)
  expect(await companion(server, 'keys', 'rotate')).toMatchObject({ code: 0 })
  expect(await readable()).toEqual([])
  expect(await exported()).toEqual(family)
  expect((await signIn(server, email)).status).toBe(200)
})
