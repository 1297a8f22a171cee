import { beforeAll, describe, expect, test } from 'vitest'
import { restoreDevlogs } from '@companion/server/devlogs/devlog-deletion.ts'
import { listContactLosses } from '@companion/server/devlogs/contact-losses.ts'
import { shiftDevlogs, unshiftDevlogs } from '@companion/server/devlogs/devlog-shift.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { OPERATOR } from '../support/operator.ts'
import { expectFrugal, forms, PLANNINGS, prepareBothForms, useOneConnection } from '../support/query-plans.ts'

/*
 * The statements of devices on 100,000 treatments of 200 of them: each reads from the index of its device alone.
 * `PLAN_FACTOR=10` makes it a million, `PLAN_FACTOR` alone prints the plans.
 */

const server = useOneConnection()
const FACTOR = Number(process.env['PLAN_FACTOR'] ?? 1)
const DEVICES = 200 * FACTOR
let parent: Account
let device: Awaited<ReturnType<typeof addChild>>

beforeAll(async () => {
  parent = await signUp(server)
  device = await addChild(server, parent.token)
  const { pool } = server.database
  // VACUUM leaves alone what is not flushed yet.
  await pool.query('SET synchronous_commit = on')
  await pool.query(
    `INSERT INTO device (id, unique_id, serial_code, mac_id, device_alias)
     SELECT $1 + n, gen_random_uuid(), 'PLAN-' || n, '0000', '' FROM generate_series(1, $2 - 1) n`,
    [device.device_id, DEVICES],
  )
  await pool.query(
    `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity,
       finish_flag, intensity_record)
     SELECT $1 + n, $2, timestamp '2026-03-01' - night * interval '1 day', 3600, night, 20, 1, '{1,2,3}'
     FROM generate_series(1, 500) night, generate_series(0, $3 - 1) n`,
    [device.device_id, device.real_user_id, DEVICES],
  )
  await pool.query('VACUUM (ANALYZE, INDEX_CLEANUP on) treatment, device')
}, 600_000)

const tables = ['treatment']
const OF_DEVICE = /Scan (Backward )?(using|on) treatment_record/
const ofDevice = (query: object) => ({ unique_id: device.unique_id, ...query })

describe.each([
  {
    statement: 'device-history',
    path: 'history',
    query: { select_mode: 3, year: 2025 },
    values: ['2025-01-01', '2025-12-31'],
    // Whose night it was stands in the table: at worst a page for each.
    buffers: 380,
  },
  {
    statement: 'device-day',
    path: 'detail',
    query: { event_date: '2026-02-03' },
    values: ['2026-02-03'],
    buffers: 20,
  },
])('$statement', ({ statement, path, query, values, buffers }) => {
  beforeAll(() =>
    prepareBothForms(server.database, statement, () =>
      server.get(`/api/v1/gamma/device/${path}`, { query: ofDevice(query) }),
    ),
  )

  test.each(forms)('reads only what is of the device ($form, $planning)', async (form) => {
    const all = [device.unique_id, ...values]
    const plan = await expectFrugal(server.database, { statement, values: all, ...form }, { buffers, tables })
    expect(plan).toMatch(OF_DEVICE)
  })
})

test.each(PLANNINGS)('an export looks for the first record of its device alone (%s)', async (planning) => {
  const period = { start_date: '2025-01-01', end_date: '2026-12-31' }
  await server.get('/api/v1/gamma/device/export', { query: ofDevice(period) })
  const plan = await expectFrugal(
    server.database,
    {
      statement: 'export-about',
      values: [device.unique_id, ...Object.values(period)],
      planning,
      form: 'alone',
    },
    { buffers: 20, tables },
  )
  expect(plan).toMatch(OF_DEVICE)
})

test('an upload writes the row of its device once, with the time of the upload, and no index of it', async () => {
  const written = async () => {
    await server.database.pool.query('SELECT pg_stat_force_next_flush()')
    const { rows } = await server.database.pool.query(
      `SELECT n_tup_upd::int AS rows, n_tup_hot_upd::int AS without_index
       FROM pg_stat_user_tables WHERE relname = 'device'`,
    )
    return rows[0]
  }
  const before = await written()
  for (const log_file_id of [98_001, 98_002, 98_003]) {
    const items = [0, 1].map((hour) =>
      devlogItem(device.unique_id, `2026-03-04T2${hour}:00:00`, { log_file_id }),
    )
    expect(await upload(server, items)).toMatchObject({ status: 200 })
  }
  expect(await written()).toEqual({ rows: before.rows + 3, without_index: before.without_index + 3 })
})

/** How often the treatments have been read through. */
async function scans(): Promise<number> {
  await server.database.pool.query('SELECT pg_stat_force_next_flush()')
  const { rows } = await server.database.pool.query(
    `SELECT seq_scan::int FROM pg_stat_user_tables WHERE relname = 'treatment'`,
  )
  return rows[0].seq_scan
}

test.each([
  ['with temporary records', '2026-03-02', true],
  ['of complete records', '2026-03-03', false],
])('an upload %s never reads the table through, however large or frequent', async (_, day, hasTemporary) => {
  const before = await scans()
  for (let n = 0; n < 8; n += 1) {
    for (const length of [1, 1000]) {
      const items = Array.from({ length }, (_, i) =>
        devlogItem(device.unique_id, `${day}T21:00:00`, {
          // Every other time half of them are sent again.
          log_file_id: length === 1 ? 99_000 + n : 2000 * (n >> 1) + 500 * (n % 2) + i,
          is_temp: hasTemporary && i % 2 === 0,
        }),
      )
      expect(await upload(server, items)).toMatchObject({ status: 200 })
    }
  }
  expect(await scans()).toBe(before)
})

test('nor does the connection of a device, a deletion, a shift, or their undoing', async () => {
  const { token } = parent
  const serial_code = 'PLAN-100'
  const { rows } = await server.database.pool.query('SELECT unique_id FROM device WHERE serial_code = $1', [
    serial_code,
  ])
  const unique_id: string = rows[0].unique_id
  const before = await scans()
  const json = { real_user_id: device.real_user_id, serial_code, mac_id: '0000', unique_id }
  expect(await server.post('/api/v1/beta/device', { token, json })).toMatchObject({
    body: { last_log_file_id: 500 },
  })
  expect(await server.delete('/api/v1/gamma/device/devlog', { query: { unique_id } })).toMatchObject({
    body: { message: 'Deleted 500 device logs' },
  })
  const undone = await server.database.transaction((sql) =>
    restoreDevlogs(sql, { uniqueId: unique_id, operator: OPERATOR }),
  )
  expect(undone).toEqual({ deletions: 1, restored: 500 })
  const period = { from: '2024-01-01T00:00', to: '2026-12-31T00:00', seconds: 3600, dryRun: false }
  const shifted = await server.database.transaction((sql) =>
    shiftDevlogs(sql, { uniqueId: unique_id, ...period, operator: OPERATOR }),
  )
  expect(shifted).toMatchObject({ moved: 500, stayed: [] })
  const shiftedBack = await server.database.transaction((sql) =>
    unshiftDevlogs(sql, shifted?.shiftId ?? 0, OPERATOR),
  )
  expect(shiftedBack).toEqual({ moved: 500, stayed: [] })
  expect(await scans()).toBe(before)
})

test('nor does the comparison of contact losses, which reads the index of each device', async () => {
  const before = await scans()
  const found = await listContactLosses(server.database.sql, 'lot', 9999)
  expect(found.reduce((sum, { devices }) => sum + devices, 0)).toBe(DEVICES)
  expect(await scans()).toBe(before)
})
