import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import type { Database } from '@companion/server/database/database.ts'
import { openEmbeddedPostgres } from '@companion/server/database/embedded/open.ts'
import { migrations } from '@companion/server/database/migrate.ts'
import { schemaText } from '@companion/server/schema-text'
import { companion } from '../support/command.ts'
import { cloneDatabase, columnsOf, contents } from '../support/database.ts'
import { addChild, devlogItem, signIn, signUp, upload } from '../support/family.ts'
import { somebodyWaits } from '../support/lock.ts'
import { startServer, TEST_SECRET } from '../support/server.ts'
import { spawnService, startServiceProcess } from '../support/service-process.ts'
import { until } from '../support/until.ts'

/* A database that the version before has made is brought up to date without loss. */

const text = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')

/** As the version before had it: 19 migrations, tables that nothing writes any more, and other names. */
const BEFORE = `
  DELETE FROM migration WHERE name <> '0001-schema';
  ALTER TABLE webhook DROP failing_since, DROP last_fault;
  DROP INDEX webhook_address;
  CREATE INDEX webhook_client ON webhook (client_id);
  INSERT INTO client (id, client_id, name, publisher, url, contact, redirect_uris, scopes, is_public)
  VALUES (7, 'seven', 'Seven', 'Seven', 'https://a.example', 'a@a.example', '{}', '{}', true);
  INSERT INTO webhook (id, client_id, url, salt, disabled_at) VALUES (71, 7, 'https://a.example', '', NULL),
    (72, 7, 'https://a.example', '', NULL), (73, 7, 'https://a.example', '', now()), (74, 7, 'https://b.example', '', now());
  DROP TABLE trail_upload;
  CREATE TABLE trail_upload (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz(3) NOT NULL,
    operation text NOT NULL, accounts int[] NOT NULL, devices int[] NOT NULL, children int[] NOT NULL, outcomes text[] NOT NULL,
    times int[] NOT NULL, address_hashes bytea[] NOT NULL, request_ids text[] NOT NULL);
  INSERT INTO trail_upload (at, operation, accounts, devices, children, outcomes, times, address_hashes, request_ids)
  SELECT timestamptz '2026-03-01T12:00:00Z' + n * interval '1 minute', 'devlogs.upload', '{NULL,7}', '{5,NULL}', '{3,3}', '{ok,ok}',
    '{1,2}', '{NULL,NULL}', '{one,NULL}' FROM generate_series(1, 2) n;
  INSERT INTO migration (name) VALUES ('0002-deletions-of-a-child');
  INSERT INTO migration (name) SELECT lpad(n::text, 4, '0') || '-before' FROM generate_series(3, 22) n;
  INSERT INTO migration (name) VALUES ('0023-trail-uploads');
  CREATE TABLE child_access (real_user_id int);
  CREATE TABLE application_access (real_user_id int);
  CREATE FUNCTION move_access() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
  CREATE TRIGGER move_access BEFORE INSERT ON child_access FOR EACH ROW EXECUTE FUNCTION move_access();
  CREATE TRIGGER move_access BEFORE INSERT ON application_access FOR EACH ROW EXECUTE FUNCTION move_access();
  DO $$ DECLARE each text; BEGIN
    FOR each IN SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace
      AND p.proname NOT IN ('add_trail_month', 'move_access') AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
    LOOP EXECUTE 'DROP FUNCTION ' || each || ' CASCADE'; END LOOP;
    FOR each IN SELECT oid::regtype FROM pg_type WHERE typnamespace = current_schema()::regnamespace AND typtype = 'c'
      AND typrelid IN (SELECT oid FROM pg_class WHERE relkind = 'c')
    LOOP EXECUTE 'DROP TYPE ' || each; END LOOP; END $$;
  DROP TABLE plan, night_watch;
  ALTER TABLE root_user DROP COLUMN time_zone, DROP COLUMN is_bedtime_reminded, DROP COLUMN is_missing_night_told,
    DROP COLUMN missing_night_at, DROP COLUMN quiet_from, DROP COLUMN quiet_to;
  ALTER TABLE alert DROP COLUMN evening, DROP COLUMN expires_at, DROP CONSTRAINT alert_kind_check,
    ADD CONSTRAINT alert_kind_check CHECK (kind IN ('device_contact', 'basestation_environment', 'account_inactive'));
  ALTER TABLE change ALTER xact_id SET DEFAULT pg_current_xact_id();
  ALTER TABLE known_ip_address RENAME TO known_address;
  ALTER INDEX known_ip_address_last_seen RENAME TO known_address_last_seen;
  ALTER TABLE known_address RENAME CONSTRAINT known_ip_address_pkey TO known_address_pkey;
  ALTER TABLE known_address RENAME CONSTRAINT known_ip_address_root_user_id_fkey TO known_address_root_user_id_fkey;
  ALTER TABLE unknown_ip_failures RENAME TO stranger_streak;
  ALTER TABLE stranger_streak RENAME CONSTRAINT unknown_ip_failures_pkey TO stranger_streak_pkey;
  ALTER TABLE stranger_streak RENAME CONSTRAINT unknown_ip_failures_root_user_id_fkey TO stranger_streak_root_user_id_fkey;
  ALTER TABLE feed RENAME notified_xact_id TO rung_xact_id;
  ALTER TABLE alert RENAME attempts TO tries;
  ALTER TABLE sms_code RENAME attempts TO tries;
  ALTER TABLE webhook RENAME attempts TO tries;
  ALTER TABLE reading_horizon ADD COLUMN summed_station int;
  ALTER TABLE client DROP COLUMN is_secret_in_body, DROP COLUMN previous_secret_hash, DROP COLUMN previous_secret_until;
  ALTER TABLE oauth_state DROP COLUMN answer;
  DROP INDEX root_user_email, root_user_phone_not_canonical;
  ALTER TABLE root_user DROP COLUMN is_phone_canonical, DROP COLUMN email_confirmed_at, DROP COLUMN confirmation_mailed_at,
    DROP COLUMN is_contact_email;
  CREATE UNIQUE INDEX root_user_email ON root_user (lower(email));
  ALTER TABLE event_version DROP COLUMN child_id;
  ALTER TABLE device DROP COLUMN last_temporary_date;
  DROP TABLE worn, email_confirmation, distribution, device_lock, child_lock, basestation_lock, two_phases;
  DELETE FROM applied_function;
  INSERT INTO applied_function VALUES ('older', 'erase-child', now());
  INSERT INTO security_record (recorded_at, root_user_id, action)
  SELECT timestamptz '2026-02-01T00:00:00Z', id, 'password_reset' FROM root_user`

/** The database of the version before, with a family in it. */
async function oldDatabase(): Promise<{
  url: string
  database: Database
  family: { email: string; unique_id: string; real_user_id: number }
}> {
  const { url, drop } = await cloneDatabase()
  const server = await startServer({}, url)
  const { email, token } = await signUp(server)
  const { unique_id, real_user_id } = await addChild(server, token)
  const json = { real_user_id, created_at: '2026-03-01', memo: `잘 잤어요. 😀 \\ ' " %` }
  await server.post('/api/v1/beta/event', { token, json })
  await upload(server, [devlogItem(unique_id, '2026-03-01T21:30:00')])
  await server.stop()
  const database = await openDatabase(url, { pool: 4 })
  onTestFinished(async () => {
    await database.close()
    await drop()
  })
  await database.pool.query(BEFORE)
  return { url, database, family: { email, unique_id, real_user_id } }
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
  expect(
    await found('SELECT email_confirmed_at, is_phone_canonical, is_contact_email FROM root_user'),
  ).toEqual([
    {
      email_confirmed_at: '2026-02-01 00:00:00+00',
      is_phone_canonical: false,
      is_contact_email: false,
    },
  ])
  expect(await found('SELECT * FROM worn')).toEqual(
    await found('SELECT real_user_id AS wearer_id, device_id FROM treatment'),
  )
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

test('one that lacks some of the migrations before is left as it is', async () => {
  const { database } = await oldDatabase()
  await database.pool.query(`DELETE FROM migration WHERE name = '0023-trail-uploads'`)
  const before = await contents(database)
  await expect(database.migrate()).rejects.toThrow('not all of its migrations were applied')
  expect(await contents(database)).toEqual(before)
})

test('of several processes that start on it at once, one takes it over', async () => {
  const { url, database } = await oldDatabase()
  const others = await Promise.all([1, 2].map(() => openDatabase(url, { pool: 2 })))
  const done = await Promise.all([database, ...others].map((each) => each.migrate()))
  await Promise.all(others.map((each) => each.close()))
  expect(done.filter(({ length }) => length > 0)).toHaveLength(1)
  expect(await applied(database)).toEqual(everyMigration)
})

test('a process that is killed half way leaves it as it was, and the next one goes on', async () => {
  const { url, database } = await oldDatabase()
  const before = await contents(database)
  const directory = await mkdtemp(join(tmpdir(), 'companion-upgrade-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const environment = { DATABASE_URL: url, TOKEN_SECRET: TEST_SECRET }

  // After it has dropped tables, it waits until this lock is given back.
  const holder = await database.pool.connect()
  await holder.query(`SELECT pg_advisory_lock(1);
    CREATE FUNCTION wait_half_way() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN IF to_regclass('child_access') IS NULL THEN PERFORM pg_advisory_xact_lock(1); END IF; END $$;
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
  expect((await contents(database))['treatment']).toBe(before['treatment'])
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
  const downgrades = () => companion(server, 'migrate', '--downgrade')
  expect(await downgrades()).toMatchObject({ code: 0, out: 'Applied erase-child\n' })
  expect(await schemaText(pool)).toBe(await expectedSchema())
  expect(await downgrades()).toMatchObject({ code: 0, out: 'The schema is up to date\n' })
})
