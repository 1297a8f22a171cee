import { beforeAll, describe, expect, test } from 'vitest'
import { addChild, signUp } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { connectBasestation } from '../support/basestations.ts'
import { expectFrugal, forms, PLANNINGS, prepareBothForms, useOneConnection } from '../support/query-plans.ts'
import { fetchReport, REPORT } from '../support/report.ts'
import { addMember } from '../support/shares.ts'
import { serviceFor } from '../support/webhooks.ts'

/*
 * The statements of charts, calendar, reports and the list of devices on a database of 200,000 treatments, 200,000 sleep
 * readings, 100,000 events, 40,000 surveys, 20,000 memberships, 20,000 devices and 40,000 pairings: each answers from the
 * index of its child alone, to its owner and to a guardian. `PLAN_FACTOR=5` makes it a million, as large as wanted.
 */

const server = useOneConnection()
const FACTOR = Number(process.env['PLAN_FACTOR'] ?? 1)
const CHILDREN = 400 * FACTOR

/** The service's date, on which memberships must be in force. */
const TODAY = '2026-03-01'

let parent: Account
let guardian: Account
let child: Awaited<ReturnType<typeof addChild>>
let station: number

beforeAll(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
  station = (await connectBasestation(server, parent.token)).basestation_id
  const { pool } = server.database
  // VACUUM leaves alone what is not flushed yet.
  await pool.query('SET synchronous_commit = on')
  // The other children have other ids of accounts and base stations; 250 nights, two sessions each.
  // So many that their own tables are not read as a whole because they are small; two children an account.
  await pool.query(
    `INSERT INTO root_user (id, first_name, last_name, birthdate, gender, is_phone_number_checked, is_signup_completed,
       register_type, national_code)
     SELECT $1 + 1000 + n, '', '', '19850101', 'P', true, true, 'E', 'KR' FROM generate_series(0, $2) n`,
    [parent.id, 25 * CHILDREN],
  )
  await pool.query(
    `INSERT INTO real_user (id, root_user_id, first_name, last_name, birthdate, gender)
     SELECT $1 + n, $2 + 1000 + n / 2, '', '', '20180101', 'P' FROM generate_series(1, $3 - 1) n`,
    [child.real_user_id, parent.id, 50 * CHILDREN],
  )
  // Each of them has exchanged a device for another.
  await pool.query(
    `INSERT INTO device (id, unique_id, serial_code, mac_id, device_alias, real_user_id, connected_at)
     SELECT $1 + n, gen_random_uuid(), 'PLAN-' || n, '0000', '', $2 + n, now() FROM generate_series(1, $3 - 1) n`,
    [child.device_id, child.real_user_id, 50 * CHILDREN],
  )
  await pool.query(
    `INSERT INTO device_history (device_id, real_user_id, firmware_id, since, until, last_upload_at)
     SELECT device_id, real_user_id, 1, since - interval '1 year', since, since FROM device_history`,
  )
  await pool.query(
    `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity,
       finish_flag, intensity_record)
     SELECT $1 + child, $2 + child, timestamp '2026-03-01' - night * interval '1 day' + s * interval '1 hour', 3600,
       2 * night + s, 20, 1, '{1,2,3,4,5,6,7,8,9,10}'
     FROM generate_series(0, $3 - 1) child, generate_series(1, 250) night, generate_series(0, 1) s`,
    [child.device_id, child.real_user_id, CHILDREN],
  )
  await pool.query(
    `INSERT INTO sleep_reading (basestation_id, root_user_id, measured_at, temperature, humidity, brightness, noise)
     SELECT $1 + station, $2 + station, timestamp '2026-03-01' - n * interval '2 hours', 20, 40, 1, 30
     FROM generate_series(0, $3 - 1) station, generate_series(1, 500) n`,
    [station, parent.id, CHILDREN],
  )
  await pool.query(
    `INSERT INTO reading_day
       (basestation_id, date, root_user_id, readings, last_measured_at, temperature, humidity, brightness, noise)
     SELECT basestation_id, measured_at::date, root_user_id, count(*), max(measured_at), sum(temperature::numeric),
       sum(humidity::numeric), sum(brightness), sum(noise)
     FROM sleep_reading GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
  )
  await pool.query(
    `INSERT INTO event (real_user_id, event_date, memo, event_data)
     SELECT $1 + child, date '2026-03-01' - n, 'slept well', '{"medication": [], "hospital": []}'
     FROM generate_series(0, $2 - 1) child, generate_series(1, 250) n`,
    [child.real_user_id, CHILDREN],
  )
  await pool.query(
    `INSERT INTO survey (real_user_id, attention_score, impulsivity_score, disorder_score, created_at)
     SELECT $1 + child, 1, 2, 3, timestamptz '2026-03-01' - n * interval '1 day'
     FROM generate_series(0, $2 - 1) child, generate_series(1, 100) n`,
    [child.real_user_id, CHILDREN],
  )
  guardian = await addMember(server, parent, { real_user_id: child.real_user_id, role: 'guardian' })
  await pool.query(
    `INSERT INTO membership (real_user_id, root_user_id, role, since, until, ended_at)
     SELECT $1 + child, $2, 'viewer', now(), date '2026-03-01' + n, CASE WHEN n > 0 THEN now() END
     FROM generate_series(1, $3 - 1) child, generate_series(0, 49) n`,
    [child.real_user_id, guardian.id, CHILDREN],
  )
  await pool.query(
    `INSERT INTO plan (real_user_id, from_date, nights_per_week, minutes, set_by, set_at)
     SELECT $1 + child, date '2026-03-01' - 20 * n, 5, 100, 'parent', now()
     FROM generate_series(0, $2 - 1) child, generate_series(1, 25) n`,
    [child.real_user_id, CHILDREN],
  )
  // Transactions of past times, each with a change of every child.
  await pool.query(
    `INSERT INTO change (xact_id, kind, real_user_id, subject_id, date)
     SELECT (3 + n)::text::xid8, 'treatment.stored', $1 + child, n, date '2026-03-01'
     FROM generate_series(0, $2 - 1) child, generate_series(1, 300) n ORDER BY n, child`,
    [child.real_user_id, CHILDREN],
  )
  for (const table of [
    'change',
    'treatment',
    'reading_day',
    'event',
    'survey',
    'plan',
    'membership',
    'root_user',
    'real_user',
    'device',
    'device_history',
  ]) {
    await pool.query(`VACUUM (ANALYZE, INDEX_CLEANUP on) ${table}`)
  }
}, 600_000)

interface Case {
  path: string
  query: Record<string, string | number>
  /** How the statement is called, and its values after the account and the child. */
  statement: string
  values: (string | number)[]
  /** Whether the date of the service is among the values already, and not the last. */
  isDated?: true
  indexes: string[]
  /** The most pages of the database that one caller may touch. */
  buffers: number
}

const cases: Case[] = [
  {
    path: 'chart/recent',
    query: { select_mode: 1, current_date: '2026-02-28' },
    statement: 'recent-chart',
    values: ['2026-01-30', '2026-02-28'],
    indexes: ['Index Only Scan using treatment_child on treatment'],
    buffers: 20,
  },
  {
    path: 'chart/analysis',
    query: { select_mode: 1, current_date: '2026-02-28' },
    statement: 'analysis-chart',
    values: ['2026-01-30', '2026-02-28'],
    indexes: [
      'Index Only Scan using treatment_child on treatment',
      'Index Scan using reading_day_pkey on reading_day',
    ],
    buffers: 60,
  },
  {
    path: 'event/history',
    query: { select_mode: 3, year: 2026 },
    statement: 'calendar-history',
    values: ['2026-01-01', '2026-12-31'],
    indexes: ['Index Only Scan using treatment_child on treatment', 'event_day'],
    buffers: 80,
  },
  {
    path: 'event',
    query: { event_date: '2026-02-28' },
    statement: 'calendar-day',
    values: ['2026-02-28'],
    indexes: [
      'Index Only Scan Backward using treatment_child on treatment',
      'Index Scan using event_day on event',
    ],
    buffers: 30,
  },
  {
    path: 'insight',
    query: { current_date: '2026-02-28' },
    statement: 'insight',
    // Today, too, is among them.
    values: [TODAY, '2026-02-28', '2026-02-28', '2026-02-21', 240, 'America/New_York'],
    isDated: true,
    // Of 35 weeks in a row, whose nights and goals are all looked at, and of 25 plans on as many pages.
    indexes: ['Index Only Scan using treatment_child', 'plan_from', 'device_real_user'],
    buffers: 280,
  },
  {
    path: 'plan',
    query: {},
    statement: 'plans',
    values: [],
    indexes: ['plan_from'],
    buffers: 40,
  },
  {
    path: 'chart/survey/analysis',
    query: {},
    statement: 'latest-surveys',
    values: [],
    indexes: ['Index Scan using survey_latest on survey'],
    buffers: 30,
  },
]

const byBoth = cases.flatMap((each) => [
  { ...each, by: 'owner' as const },
  { ...each, by: 'guardian' as const },
])

describe.each(byBoth)(
  '$path by the $by',
  ({ path, by, statement, values, isDated, indexes, buffers, query }) => {
    const caller = () => (by === 'owner' ? parent : guardian)

    beforeAll(() =>
      prepareBothForms(server.database, statement, async () => {
        const response = await server.get(`/api/v1/beta/${path}`, {
          token: caller().token,
          query: { real_user_id: child.real_user_id, ...query },
        })
        if (response.status !== 200) throw new Error(`${path}: ${JSON.stringify(response.body)}`)
      }),
    )

    test.each(forms)('reads only what is of the child ($form, $planning)', async (form) => {
      const all = [caller().id, child.real_user_id, ...values, ...(isDated ? [] : [TODAY])]
      const tables = ['treatment', 'reading_day', 'event', 'survey', 'plan', 'membership', 'real_user']
      const plan = await expectFrugal(
        server.database,
        { statement, values: all, ...form },
        { buffers, tables },
      )
      for (const index of indexes) expect(plan).toContain(index)
    })
  },
)

describe('a report', () => {
  beforeAll(async () => {
    const { token } = parent
    const period = { language: 'EN', start_date: '2026-01-29', end_date: '2026-02-28' }
    const report = await fetchReport(server, REPORT, token, {
      real_user_id: child.real_user_id,
      basestation_id: station,
      ...period,
    })
    if (report.status !== 200) throw new Error(`the report is ${report.status}`)
  })

  const days = () => [child.real_user_id, '2026-01-29', '2026-02-28']
  const zone = 'America/New_York'

  test.each(
    [
      {
        statement: 'report-subject',
        values: () => [parent.id, child.real_user_id, station, zone, TODAY, '2026-01-29', '2026-02-28'],
        indexes: ['device_history_child', 'device_real_user', 'treatment_child'],
        buffers: 50,
      },
      {
        statement: 'report-devices',
        values: () => [...days(), zone],
        indexes: ['device_history_child', 'treatment_child'],
        buffers: 120,
      },
      { statement: 'report-uses', values: days, indexes: ['treatment_child'], buffers: 80 },
      { statement: 'report-bedtimes', values: days, indexes: ['treatment_child'], buffers: 80 },
      {
        statement: 'report-days',
        values: () => [...days(), station, parent.id, 240, null],
        indexes: ['treatment_child', 'reading_day_pkey', 'plan_from'],
        buffers: 160,
      },
      { statement: 'report-events', values: () => [...days(), zone], indexes: ['event_day'], buffers: 50 },
      {
        statement: 'report-surveys',
        values: () => [...days(), zone],
        indexes: ['survey_latest'],
        buffers: 50,
      },
    ].flatMap((each) => PLANNINGS.map((planning) => ({ ...each, planning }))),
  )('reads only what is of the child: $statement ($planning)', async (each) => {
    const { statement, values, indexes, buffers, planning } = each
    const tables = ['treatment', 'reading_day', 'event', 'survey', 'device', 'device_history', 'real_user']
    const execution = { statement, values: values(), planning, form: 'alone' as const }
    const plan = await expectFrugal(server.database, execution, { buffers, tables })
    for (const index of indexes) expect(plan).toContain(index)
  })
})

describe('the list of devices', () => {
  beforeAll(() =>
    prepareBothForms(server.database, 'devices', () =>
      server.get('/api/v1/beta/device', { token: parent.token }),
    ),
  )

  test.each(forms)('reads only what the own children wear ($form, $planning)', async (form) => {
    const execution = { statement: 'devices', values: [parent.id, TODAY], ...form }
    const tables = ['device', 'real_user']
    const plan = await expectFrugal(server.database, execution, { buffers: 40, tables })
    expect(plan).toContain('device_real_user on device')
  })
})

test.each(PLANNINGS)('a page of treatments reads as many records as it answers (%s)', async (planning) => {
  const { real_user_id } = child
  await server.get('/api/v1/beta/treatment', { token: parent.token, query: { real_user_id } })
  const values = [parent.id, real_user_id, '2025-03-01', '2026-03-01', '2026-02-01T01:00:00', 1, 21, TODAY]
  const plan = await expectFrugal(
    server.database,
    { statement: 'treatment-page', values, planning, form: 'alone' },
    { buffers: 40, tables: ['treatment'] },
  )
  expect(plan).toContain('Index Scan using treatment_child on treatment')
  expect(plan).toContain('rows=21')
})

test.each(PLANNINGS)('a page of changes reads as many as it answers (%s)', async (planning) => {
  const after = Buffer.from('["100","0"]').toString('base64url')
  await server.get('/api/v1/beta/changes', { token: parent.token, query: { after } })
  const scopes = '{usage:read,child:read,notes:read,surveys:read}'
  const values = [parent.id, '100', '0', 51, '250', TODAY, null, null, scopes]
  const plan = await expectFrugal(
    server.database,
    { statement: 'changes-for-account', values, planning, form: 'alone' },
    { buffers: 300, tables: ['change', 'membership'] },
  )
  expect(plan).toContain('change_child')
  expect(plan).toContain('change_account')
})

test.each(PLANNINGS)(
  'for a service, changes are read in their order as far as a page needs (%s)',
  async (planning) => {
    const { own } = await serviceFor(server, parent, [child.real_user_id])
    await server.get('/api/v1/beta/changes', { token: own })
    const { rows } = await server.database.pool.query('SELECT max(id) AS id FROM client')
    const plan = await expectFrugal(
      server.database,
      {
        statement: 'changes-for-client',
        values: [rows[0].id, '100', '0', 51, '250', '{usage:read}'],
        planning,
        form: 'alone',
      },
      { buffers: 100_000, tables: ['change'] },
    )
    expect(plan).toContain('change_pkey on change')
  },
)
