import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '@companion/server/database/database.ts'
import { openEmbeddedPostgres } from '@companion/server/embedded-postgres/open.ts'
import type { EmbeddedPostgres } from '@companion/server/embedded-postgres/open.ts'
import { connectBasestation, reading, uploadReadings } from '../support/basestations.ts'
import type { TestResponse } from '../support/client.ts'
import { addClinician, clinicOf } from '../support/clinicians.ts'
import { connectClinic, newClinic } from '../support/clinics.ts'
import { cloneTemplate } from '../support/database.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import { offerFirmware } from '../support/firmware.ts'
import { placeForData } from '../support/machines/place-for-data.ts'
import { plans } from '../support/plans.ts'
import { startServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'
import { addMember } from '../support/shares.ts'
import { scores, surveys } from '../support/surveys.ts'
import { createTemplate, TEMPLATE } from '../support/template.ts'

/*
 * PostgreSQL keeps the plans of frequent statements. To plan one again at each call may cost more than to run it. A plan that was
 * made for an empty table may read all of it once it has grown.
 */

const settings = {
  shared_preload_libraries: 'pg_stat_statements,auto_explain',
  'pg_stat_statements.track': 'all',
  'pg_stat_statements.track_planning': 'on',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_level': 'notice',
  // It would have plans made again at a time of its own.
  autovacuum: 'off',
  fsync: 'off',
}
const DAY = '2026-03-01'
const dayAfter = (days: number) => new Date(Date.parse(DAY) + days * 86_400_000).toISOString().slice(0, 10)

let directory: string
let postgres: EmbeddedPostgres
beforeAll(async () => {
  directory = await mkdtemp(join(await placeForData(), 'companion-kept-plans-'))
  await chmod(directory, 0o755)
  postgres = await openEmbeddedPostgres({ directory, settings })
  await createTemplate(postgres.url)
})
afterAll(async () => {
  await postgres?.stop()
  await rm(directory, { recursive: true, force: true })
})

/** A server with one connection, on which all plans are kept. */
async function startAlone(url: string): Promise<TestServer> {
  const server = await startServer({ DATABASE_POOL: '1' }, url)
  onTestFinished(() => server.stop())
  server.database.pool.options.idleTimeoutMillis = 0
  return server
}

/** A family, its devices and a clinic, and those who alerts go to. */
async function settle(server: TestServer) {
  const parent = await signUp(server)
  const { token } = parent
  const { real_user_id, unique_id, device_id } = await addChild(server, token)
  const devices = [unique_id]
  for (let n = 1; n < 10; n += 1) devices.push((await addChild(server, token)).unique_id)
  const viewer = await addMember(server, parent, { real_user_id, role: 'viewer' })
  const { clinic_id, code } = await newClinic(server)
  const clinician = await addClinician(server, clinic_id)
  await connectClinic(server, parent, { code, real_user_id })
  await plans(server).set(parent, { real_user_id, nights_per_week: 5, minutes: 240 })
  const { unique_id: station } = await connectBasestation(server, token)
  await offerFirmware(server, device_id)
  await server.patch('/api/v1/beta/user/notification', {
    token,
    json: { is_device_muted: false, is_device_alim_talk_enabled: true, is_basestation_alert_enabled: true },
  })
  return { parent, real_user_id, unique_id, devices, viewer, clinic_id, clinician, station }
}

type Call = (round: number) => Promise<TestResponse>

/** What is asked all day long; each round has a day and numbers of its own. */
function hotCalls(
  server: TestServer,
  {
    parent,
    real_user_id,
    unique_id,
    devices,
    viewer,
    clinic_id,
    clinician,
    station,
  }: Awaited<ReturnType<typeof settle>>,
): Record<string, Call> {
  const { token } = parent
  const chart =
    (by: string, name = 'recent'): Call =>
    (round) =>
      server.get(`/api/v1/beta/chart/${name}`, {
        token: by,
        query: { real_user_id, select_mode: 1, current_date: dayAfter(round) },
      })
  const read =
    (path: string): Call =>
    () =>
      server.get(`/api/v1/beta/${path}`, { token, query: { real_user_id } })
  const clinic =
    (query: Record<string, string | number>): Call =>
    () =>
      clinicOf(server, clinic_id).children(clinician, query)
  const record = (round: number, device: string, more: Parameters<typeof devlogItem>[2] = {}) =>
    devlogItem(device, `${dayAfter(round)}T21:00:00`, { log_file_id: 10 * round, ...more })
  const temporary = (round: number, treatment_time: number, is_temp = true) =>
    devlogItem(unique_id, `${dayAfter(round)}T23:00:00`, {
      log_file_id: 10 * round + 1,
      is_temp,
      treatment_time,
    })
  const readings =
    (count: number): Call =>
    (round) =>
      uploadReadings(
        server,
        Array.from({ length: count }, (_, n) =>
          reading(station, `${dayAfter(round)}T2${count > 1 ? 2 : 3}:${n}0:00`),
        ),
      )
  return {
    me: () => server.get('/api/v1/beta/user/me', { token }),
    chart: chart(token),
    member: chart(viewer.token),
    calendar: () =>
      server.get('/api/v1/beta/event/history', {
        token,
        query: { real_user_id, select_mode: 1, year: 2026, select_data: 3 },
      }),
    day: (round) =>
      server.get('/api/v1/beta/event', { token, query: { real_user_id, event_date: dayAfter(round) } }),
    insight: (round) => plans(server).insight(parent, { real_user_id, current_date: dayAfter(round) }),
    analysis: chart(token, 'analysis'),
    'survey analysis': chart(token, 'survey/analysis'),
    treatments: read('treatment'),
    children: read('user/real-user'),
    devices: read('device'),
    members: read('share'),
    looks: read('share/access'),
    plan: read('plan'),
    consents: read('user/consent'),
    clinic: clinic({ sort: 'flags', limit: 50 }),
    'clinic by night': clinic({ sort: 'last_night' }),
    'clinic by name': clinic({ sort: 'name' }),
    'clinic by name and flag': clinic({ sort: 'name', flag: 'no_upload' }),
    'clinic by flag': clinic({ flag: 'below_plan' }),
    'clinic by search': clinic({ search: 'Mina', limit: 200 }),
    night: (round) => upload(server, [record(round, unique_id)]),
    ingest: (round) =>
      upload(
        server,
        devices.map((device) => record(round, device, { log_file_id: 10 * round + 2 })),
      ),
    retry: (round) => upload(server, [record(round, unique_id)]),
    'retry beside new ones': (round) =>
      upload(server, [record(round, unique_id), record(round, unique_id, { log_file_id: 10 * round + 3 })]),
    'lenient upload': (round) =>
      upload(server, [record(round, unique_id), record(round, unique_id, { log_file_id: 10 * round + 4 })], {
        prefer: 'handling=lenient',
      }),
    'temporary record': (round) => upload(server, [temporary(round, 60)]),
    'longer temporary record': (round) => upload(server, [temporary(round, 120)]),
    'completed record': (round) => upload(server, [temporary(round, 180, false)]),
    'contact loss': (round) =>
      upload(server, [record(round, unique_id, { log_file_id: 10 * round + 5, finish_flag: '4' })]),
    reading: readings(1),
    'reading outside of the bounds': (round) =>
      uploadReadings(server, [reading(station, `${dayAfter(round)}T01:00:00`, { temperature: 45 })]),
    readings: readings(6),
    'new note': (round) =>
      server.post('/api/v1/beta/event', {
        token,
        json: { real_user_id, created_at: dayAfter(round), memo: 'Slept well' },
      }),
    'changed note': (round) =>
      server.post('/api/v1/beta/event', {
        token,
        json: { real_user_id, created_at: dayAfter(round), memo: 'Slept long' },
      }),
    survey: (round) => surveys(server).submit(parent, { real_user_id, ...scores(round % 50) }),
    surveys: () => surveys(server).latest(parent, { real_user_id }),
    changes: () => server.get('/api/v1/beta/changes', { token }),
    export: () =>
      server.get('/api/v1/gamma/device/export', {
        query: { unique_id, start_date: DAY, end_date: dayAfter(60) },
      }),
    firmware: () => server.get('/api/v1/gamma/device/firmware', { query: { unique_id } }),
  }
}

/** Calls each operation in each of the rounds, first alone and then beside the others. */
async function callAll(calls: Record<string, Call>, rounds: readonly number[]): Promise<void> {
  const check = async (name: string, call: Call, round: number) => {
    const { status, body } = await call(round)
    if (status !== 200) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`)
  }
  const named = Object.entries(calls)
  for (const [name, call] of named) for (const round of rounds) await check(name, call, round)
  for (const round of rounds) await Promise.all(named.map(([name, call]) => check(name, call, round)))
}

const roundsFrom = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n)

/** Tables that grow with the families and their devices. */
const GROWING =
  `account_activity alert basestation basestation_connection change clinic_connection consent device
  device_firmware device_history event event_version known_ip_address membership plan reading_day real_user root_user
  security_record session sleep_reading survey trail treatment`.split(/\s+/)

/** Adds a thousand copies of every row, which name copies of the rows that it names. */
async function multiplyRows(url: string): Promise<void> {
  const database = await openDatabase(url, { pool: 1 })
  try {
    await database.pool.query('SET session_replication_role = replica')
    const { rows } = await database.pool.query<{ name: string; columns: string; copies: string }>(
      `SELECT relname AS name, string_agg(attname, ', ') AS columns, string_agg(format(CASE
           WHEN NOT is_unique AND right(attname, 3) <> '_id' THEN '%s'
           WHEN atttypid IN ('int4'::regtype, 'int8'::regtype) THEN '%s + n * 100000'
           WHEN atttypid = 'uuid'::regtype THEN 'md5(%s || '' '' || n)::uuid'
           WHEN atttypid = 'bytea'::regtype THEN 'sha256(%s || int4send(n))'
           WHEN attname = 'serial_code' THEN '%s || n'
           ELSE '%s' END, attname), ', ') AS copies
       FROM pg_class c JOIN pg_attribute a ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
       CROSS JOIN LATERAL (
         SELECT EXISTS (SELECT FROM pg_index WHERE indrelid = c.oid AND indisunique AND attnum = ANY (indkey)) AS is_unique
       ) u
       WHERE relnamespace = 'public'::regnamespace AND relname = ANY ($1) GROUP BY relname`,
      [GROWING],
    )
    for (const { name, columns, copies } of rows)
      await database.pool.query(
        `INSERT INTO ${name} (${columns}) OVERRIDING SYSTEM VALUE
         SELECT ${copies} FROM ${name}, generate_series(1, 1000) n ON CONFLICT DO NOTHING`,
      )
  } finally {
    await database.close()
  }
}

const TYPED =
  'Typed SQL is not prepared (docs/decisions/orm-border.md), and neither a note that is saved nor the list of consents is a hot path'
/** Statements that are planned at each call, by how they begin, and why. */
const PLANNED_ANEW = {
  'select child_role(real_user,': TYPED,
  'SELECT id, version, event_date::text AS event_date, memo, event_data FROM locked_event(': TYPED,
  'SELECT id, version, memo, event_data FROM save_event(': TYPED,
  'select "kind", "version", "new_value", "source", "recorded_at" from "consent"': TYPED,
  'DECLARE exported NO SCROLL CURSOR': 'PostgreSQL keeps no plan of DECLARE',
}

/**
 * The statement that writes the trail, at most twice a second. Where accesses come slowly, each call has few of them: PostgreSQL then plans
 * it again, as the plan that it would keep is for ten.
 */
const TRAIL = 'WITH new AS MATERIALIZED ( SELECT * FROM unnest($1::timestamptz[], $2::text[],'

/** A table read from end to end: without an index, or through one that is asked for nothing. */
const READS_WHOLE =
  /(?:Seq Scan|Index (?:Only )?Scan (?:Backward )?using \w+) on (\w+)(?![^\n]*\n\s*Index Cond)/g
/**
 * Tables that a function still reads through an index that it asks for nothing, until PostgreSQL has analyzed what has grown: of a
 * table without pages, one index looks as good as another.
 */
const READ_WHOLE_BY = [
  'add_changes_to_feed reads access_grant',
  'alert_environment_outside_bounds reads membership',
  'alert_environment_outside_bounds reads root_user',
  'alert_of_contact_losses reads root_user',
  'keep_clinic_figures reads rejected_devlog',
  'store_devlogs reads real_user',
  'store_devlogs reads treatment',
]

const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

test('no statement is planned again and again', async () => {
  const { url } = await cloneTemplate([postgres.url], TEMPLATE)
  const first = await startAlone(url)
  const family = await settle(first)
  await callAll(hotCalls(first, family), roundsFrom(1, 2))
  await multiplyRows(url)
  await first.database.pool.query('VACUUM ANALYZE')
  const server = await startAlone(url)
  const { pool } = server.database
  await pool.query('CREATE EXTENSION pg_stat_statements')
  await pool.query('SELECT pg_stat_statements_reset()')
  await callAll(hotCalls(server, family), roundsFrom(3, 20))
  // The first five plans of a statement are never kept. The same text may stand in several places.
  const { rows } = await pool.query<{ query: string; plans: number; calls: number }>(
    `SELECT query, plans::int, calls::int FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
     WHERE d.datname = current_database() AND plans > 10 AND 3 * plans > calls`,
  )
  const found = rows.map(({ query, ...counts }) => ({ query: inOneLine(query), ...counts }))
  const excepted = Object.keys(PLANNED_ANEW)
  const known = [...excepted, TRAIL]
  expect(found.filter(({ query }) => !known.some((start) => query.startsWith(start)))).toEqual([])
  for (const start of excepted)
    expect(found.map(({ query }) => query)).toContainEqual(expect.stringContaining(start))
})

test('no plan that a function has kept since the tables were empty reads a table whole', async () => {
  const { url } = await cloneTemplate([postgres.url], TEMPLATE)
  const server = await startAlone(url)
  const { pool } = server.database
  // A table that nobody has vacuumed counts as one of ten pages.
  await pool.query('VACUUM ANALYZE')
  const calls = hotCalls(server, await settle(server))
  await callAll(calls, roundsFrom(1, 6))
  await multiplyRows(url)
  const found = new Map<string, string>()
  let nested = 0
  const client = await pool.connect()
  client.on('notice', ({ message = '', where = '' }) => {
    const [, caller] = /PL\/pgSQL function (\w+)/.exec(where) ?? []
    const [, text = '', plan = ''] = /^Query Text: ([^]*?)\n(\S[^]*)/m.exec(message) ?? []
    // The check of a foreign key has one plan, made where it is needed first.
    if (!caller || text.startsWith('SELECT 1 FROM ONLY')) return
    nested += 1
    for (const [, table] of plan.matchAll(READS_WHOLE)) found.set(`${caller} reads ${table}`, inOneLine(text))
  })
  await client.query('SET auto_explain.log_min_duration = 0')
  client.release()
  await callAll(calls, roundsFrom(50, 2))
  expect(nested).toBeGreaterThan(100)
  for (const known of READ_WHOLE_BY) found.delete(known)
  expect([...found]).toEqual([])
})
