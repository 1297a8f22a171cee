import { beforeAll, expect, test } from 'vitest'
import { connectBasestation } from '../support/basestations.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { askFhir } from '../support/fhir.ts'
import { expectFrugal, PLANNINGS, useOneConnection } from '../support/query-plans.ts'

/*
 * The searches of the FHIR API beside 100,000 treatments of 200 children: each reads from the indexes of the children that it is
 * about, and of these no more than a page.
 */

const server = useOneConnection()
const CHILDREN = 200
const NIGHTS = 500
let parent: Account
let first: Awaited<ReturnType<typeof addChild>>
let children: number[]

beforeAll(async () => {
  parent = await signUp(server)
  first = await addChild(server, parent.token)
  const { pool } = server.database
  await pool.query('SET synchronous_commit = on')
  await pool.query(
    `INSERT INTO real_user (id, root_user_id, first_name, last_name, birthdate, gender)
     SELECT $1 + n, $2, 'A', '', '20180203', 'F' FROM generate_series(1, $3 - 1) n`,
    [first.real_user_id, parent.id, CHILDREN],
  )
  await pool.query(
    `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity, finish_flag,
       intensity_record)
     SELECT $1, $2 + n, timestamp '2026-03-01' - night * interval '1 day' + n * interval '1 second', 3600, night, 20, 1, '{1,2,3}'
     FROM generate_series(1, $4) night, generate_series(0, $3 - 1) n`,
    [first.device_id, first.real_user_id, CHILDREN, NIGHTS],
  )
  await pool.query(
    `INSERT INTO event (real_user_id, event_date, memo, event_data)
     SELECT $1 + n, date '2026-03-01' - night, 'x', '{"medication": [], "hospital": []}'
     FROM generate_series(1, 100) night, generate_series(0, $2 - 1) n`,
    [first.real_user_id, CHILDREN],
  )
  await pool.query(
    `INSERT INTO survey (real_user_id, attention_score, impulsivity_score, disorder_score, created_at)
     SELECT $1 + n, 1, 2, 3, timestamptz '2026-03-01' - m * interval '1 month'
     FROM generate_series(1, 24) m, generate_series(0, $2 - 1) n`,
    [first.real_user_id, CHILDREN],
  )
  await pool.query('VACUUM (ANALYZE, INDEX_CLEANUP on) treatment, event, survey, real_user')
  await connectBasestation(server, parent.token)
  children = Array.from({ length: CHILDREN }, (_, n) => first.real_user_id + n)
  await upload(server, [devlogItem(first.unique_id, '2026-03-01T21:30:00', { log_file_id: 9999 })])
  for (const path of [
    'Observation',
    'MedicationStatement',
    'QuestionnaireResponse',
    'Patient',
    'Device',
    'DocumentReference',
    'Observation?_summary=count',
  ])
    await askFhir(server, path, parent.token)
}, 600_000)

const tables = ['treatment', 'event', 'survey']
const list = (values: readonly unknown[]) => `{${values.join()}}`
const all = (value: boolean, count = CHILDREN) => list(Array.from({ length: count }, () => value))

test.each(PLANNINGS)('a page of the Observations of one child, %s', async (planning) => {
  const values = [
    list([children[7]]),
    all(true, 1),
    all(true, 1),
    '2025-01-01',
    'infinity',
    null,
    null,
    null,
    children[7] ?? 0,
    '2025-06-01T00:00:07',
    'treatment',
    '1',
    102,
    'America/New_York',
  ]
  const plan = await expectFrugal(
    server.database,
    { statement: 'fhir-records', values, planning, form: 'alone' },
    { buffers: 1500, tables },
  )
  expect(plan).toMatch(/Index .*Scan using treatment_child/)
  expect(plan).toMatch(/Index .*(?:using|on) event_day/)
})

test.each(PLANNINGS)('a page of the Observations of 200 children reads few of them, %s', async (planning) => {
  const values = [
    list(children),
    all(true),
    all(true),
    '-infinity',
    'infinity',
    null,
    null,
    null,
    null,
    null,
    null,
    null,
    52,
    'America/New_York',
  ]
  const plan = await expectFrugal(
    server.database,
    { statement: 'fhir-records', values, planning, form: 'alone' },
    { buffers: 2000, tables },
  )
  expect(plan).toContain('treatment_child')
})

test.each(PLANNINGS)('one use of a child, %s', async (planning) => {
  const values = [
    list([children[7]]),
    all(true, 1),
    all(true, 1),
    '-infinity',
    'infinity',
    null,
    null,
    '{5}',
    null,
    null,
    null,
    null,
    3,
    'America/New_York',
  ]
  const plan = await expectFrugal(
    server.database,
    { statement: 'fhir-records', values, planning, form: 'alone' },
    { buffers: 3 * NIGHTS, tables },
  )
  expect(plan).toContain('treatment_child')
})

test.each(PLANNINGS)('surveys, reports and the count of uses, %s', async (planning) => {
  const of = (statement: string, values: (string | number | null)[]) =>
    expectFrugal(
      server.database,
      { statement, values, planning, form: 'alone' },
      { buffers: 3 * NIGHTS, tables },
    )
  const one = list([children[7]])
  await of('fhir-surveys', [one, '-infinity', 'infinity', null, null, null, null, 52])
  await of('fhir-documents', [
    one,
    '-infinity',
    'infinity',
    null,
    null,
    null,
    null,
    null,
    'America/New_York',
    '2026-03-01',
    52,
  ])
  const counting = await of('fhir-count-uses', [one, '2025-01-01', 'infinity', null, null])
  expect(counting).toContain('treatment_child')
})
