import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { checkDevlogs } from '@companion/server/devlogs/check-devlogs.ts'
import { restoreDevlogs } from '@companion/server/devlogs/devlog-deletion.ts'
import { companion } from '../../support/command.ts'
import { addChild, devlogItem, signUp, upload } from '../../support/family.ts'
import { inBetween, somebodyWaits } from '../../support/lock-waits.ts'
import { OPERATOR } from '../../support/operator.ts'
import { addMember } from '../../support/shares.ts'
import { startServer, useServer } from '../../support/server.ts'
import { tally } from '../../support/response-tally.ts'
import { liveRecords } from '../../support/treatments.ts'
import { storedRows } from '../../support/stored-rows.ts'

const server = useServer()
const PATH = '/api/v1/gamma/device/devlog'

let parent: Awaited<ReturnType<typeof signUp>>
let child: Awaited<ReturnType<typeof addChild>>
let device: string
beforeAll(async () => {
  parent = await signUp(server)
})
beforeEach(async () => {
  child = await addChild(server, parent.token)
  device = child.unique_id
})

const erase = (unique_id = device, on = server) => on.delete(PATH, { query: { unique_id } })
const restore = (uniqueId = device, deletionId?: number) =>
  server.database.transaction((sql) => restoreDevlogs(sql, { uniqueId, deletionId, operator: OPERATOR }))
const night = (n: number, options: Parameters<typeof devlogItem>[2] = {}) =>
  devlogItem(device, `2026-03-0${n}T21:30:00`, { log_file_id: n, ...options })
const journal = () =>
  storedRows(
    server.database,
    'devlog_deletion',
    `SELECT j.* FROM devlog_deletion j JOIN device d ON d.id = j.device_id WHERE d.unique_id = $1 ORDER BY j.id`,
    [device],
  )

test('deletes all logs of the device and says how many; they vanish everywhere, others stay', async () => {
  const other = await addChild(server, parent.token)
  await upload(server, [
    night(1),
    night(2, { is_temp: true }),
    devlogItem(other.unique_id, '2026-03-01T20:00'),
  ])
  expect(await erase()).toMatchObject({
    status: 200,
    body: { statusCode: 200, message: 'Deleted 2 device logs' },
  })
  const query = { unique_id: device, select_mode: 1, year: 2026, select_data: 3 }
  expect(await server.get('/api/v1/gamma/device/history', { query })).toMatchObject({ status: 200, body: [] })
  const chart = await server.get('/api/v1/beta/chart/recent', {
    token: parent.token,
    query: { real_user_id: child.real_user_id, current_date: '2026-03-02' },
  })
  expect(chart.body.treatment_time_data).toEqual([])
  expect(await liveRecords(server, other.unique_id)).toHaveLength(1)
})

test('a device without logs, an unknown one, and one whose logs are deleted: 404', async () => {
  const none = { status: 404, body: { detail: 'Device Log not found' } }
  expect(await erase()).toMatchObject(none)
  expect(await erase(randomUUID())).toMatchObject(none)
  await upload(server, [night(1)])
  expect(await erase()).toMatchObject({ status: 200 })
  expect(await erase()).toMatchObject(none)
  expect(await journal()).toHaveLength(1)
})

test.each([undefined, '', 'mine', `${'0'.repeat(8)}-`])('unique_id %s is 422', async (unique_id) => {
  const response = await server.delete(PATH, unique_id === undefined ? {} : { query: { unique_id } })
  expect(response).toMatchObject({ status: 422, body: { detail: [{ loc: ['query', 'unique_id'] }] } })
})

test('a database that refuses: 500, nothing deleted, nothing in the journal, and the log says why', async () => {
  await upload(server, [night(1)])
  const { pool } = server.database
  await pool.query('ALTER TABLE treatment ADD CONSTRAINT kept CHECK (deleted_at IS NULL) NOT VALID')
  try {
    expect(await erase()).toMatchObject({
      status: 500,
      body: { detail: 'Internal error while deleting device logs' },
    })
  } finally {
    await pool.query('ALTER TABLE treatment DROP CONSTRAINT kept')
  }
  expect(await liveRecords(server, device)).toHaveLength(1)
  expect(await journal()).toEqual([])
  expect(server.log()).toContain('device logs not deleted')
})

test('each deletion is written to the journal: when, from where, how many', async () => {
  const before = Date.now()
  await upload(server, [night(1), night(2)])
  await erase()
  await upload(server, [night(3)])
  await erase()
  const rows = await journal()
  expect(rows).toMatchObject([
    { deleted_count: 2, restored_at: null },
    { deleted_count: 1, restored_at: null },
  ])
  expect(rows[0].address).toMatch(/127\.0\.0\.1/)
  expect(Date.parse(rows[0].deleted_at)).toBeGreaterThanOrEqual(before - 1)
})

test('of two deletions at once, one deletes', async () => {
  await upload(server, [night(1), night(2)])
  const responses = await Promise.all(Array.from({ length: 8 }, () => erase()))
  expect(tally(responses)).toEqual({ '200': 1, '404 Device Log not found': 7 })
  expect(await journal()).toMatchObject([{ deleted_count: 2 }])
})

const storeMany = (device_id = child.device_id) =>
  server.database.pool.query(
    `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity,
       finish_flag, intensity_record)
     SELECT $1, $2, '2025-01-01'::timestamp + n / 2 * interval '1 minute', 0, n, 7, 1, '{}'
     FROM generate_series(1, 20001) n`,
    [device_id, child.real_user_id],
  )

/** Deletes many records. `call` runs while the second step waits for a record, and waits for the second step. */
const inSecondStep = <Result>(call: () => Promise<Result>) =>
  inBetween(server, {
    lock: `SELECT FROM treatment WHERE device_id = ${child.device_id} AND log_file_id = 6000 FOR UPDATE`,
    change: 'SELECT',
    call: async () => {
      const deletion = erase()
      await somebodyWaits(server.database)
      return Promise.all([deletion, call()])
    },
    waiting: 2,
  })

test('many records go step by step: an upload gets between, and what it stores stays', async () => {
  // Somebody who is told of each record.
  await addMember(server, parent, { real_user_id: child.real_user_id, role: 'viewer' })
  await storeMany()
  const item = devlogItem(device, '2025-06-01T21:00:00', { log_file_id: 3 })
  const [deletion, uploaded] = await inSecondStep(() => upload(server, [item]))
  expect(deletion.body).toEqual({ statusCode: 200, message: 'Deleted 20001 device logs' })
  expect(uploaded.status).toBe(200)
  expect(await liveRecords(server, device)).toEqual(['2025-06-01T21:00:00 #3 720s'])
  expect(await journal()).toMatchObject([{ deleted_count: 20_001, real_user_id: child.real_user_id }])
  expect(await restore()).toEqual({ deletions: 1, restored: 20_001 })
  expect(await liveRecords(server, device)).toHaveLength(20_002)
})

test('a deletion that is undone between its steps goes no further', async () => {
  await storeMany()
  const [{ status }, undone] = await inSecondStep(restore)
  // The next step may get the device before the undoing that waits for it.
  expect({ status, undone }).toMatchObject({ status: 200, undone: { deletions: 1 } })
  expect(await liveRecords(server, device)).toHaveLength(20_001)
})

test('an upload that comes while the device is being deleted is stored after it, not lost with it', async () => {
  await upload(server, [night(1)])
  const response = await inBetween(server, {
    lock: `SELECT FROM device WHERE unique_id = '${device}' FOR NO KEY UPDATE`,
    change: `UPDATE treatment SET deleted_at = now() WHERE device_id = ${child.device_id}`,
    call: () => upload(server, [night(1)]),
  })
  expect(response.status).toBe(200)
  expect(await liveRecords(server, device)).toEqual(['2026-03-01T21:30:00 #1 720s'])
})

describe('restore', () => {
  test('brings everything back, once', async () => {
    await upload(server, [night(1), night(2)])
    const before = await liveRecords(server, device)
    await erase()
    expect(await restore()).toEqual({ deletions: 1, restored: 2 })
    expect(await liveRecords(server, device)).toEqual(before)
    expect(await journal()).toMatchObject([{ deleted_count: 2, restored_count: 2 }])
    expect(await restore()).toBeUndefined()
    expect(await restore(randomUUID())).toBeUndefined()
  })

  test('looks each record up once, even when the statistics know the device for few', async () => {
    await storeMany((await addChild(server, parent.token)).device_id)
    await server.database.pool.query('ANALYZE treatment')
    await storeMany()
    await erase()
    // Of a transaction: the index's own count also tells of others, whenever they get to it. The records are asked, because they
    // may lie on another node, in a table and an index whose names end in a number.
    await server.database.pool.query(`CREATE VIEW read_in_index AS
      SELECT device_id, pg_stat_get_xact_tuples_returned(to_regclass(
        concat_ws('_', 'treatment_record', substring(tableoid::regclass::text FROM '[0-9]+$')))) AS entries
      FROM treatment`)
    onTestFinished(async () => void (await server.database.pool.query('DROP VIEW read_in_index')))
    const read = await server.database.transaction(async (tx) => {
      expect(await restoreDevlogs(tx, { uniqueId: device, operator: OPERATOR })).toEqual({
        deletions: 1,
        restored: 20_001,
      })
      const { entries } = await tx
        .withTables<{ read_in_index: { device_id: number; entries: string } }>()
        .selectFrom('read_in_index')
        .select('entries')
        .where('device_id', '=', child.device_id)
        .limit(1)
        .executeTakeFirstOrThrow()
      return Number(entries)
    })
    expect(read).toBeGreaterThan(20_000)
    // Two to thirteen for each record, by the sample that ANALYZE takes; 20,001 for each if it joined.
    expect(read).toBeLessThan(20 * 20_001)
  })

  test('leaves alone what was uploaded again, and counts nothing twice', async () => {
    await upload(server, [night(1), night(2)])
    await erase()
    await upload(server, [night(1, { treatment_time: 999 })])
    expect(await restore()).toEqual({ deletions: 1, restored: 1 })
    expect(await liveRecords(server, device)).toEqual([
      '2026-03-01T21:30:00 #1 999s',
      '2026-03-02T21:30:00 #2 720s',
    ])
  })

  test('of a log that was deleted twice, the newest comes back; one deletion can be chosen', async () => {
    await upload(server, [night(1, { treatment_time: 111 })])
    await erase()
    await upload(server, [night(1, { treatment_time: 222 })])
    await erase()
    const [first] = await journal()
    expect(await restore(device, first.id)).toEqual({ deletions: 1, restored: 1 })
    expect(await liveRecords(server, device)).toEqual(['2026-03-01T21:30:00 #1 111s'])
    await erase()
    expect(await restore()).toEqual({ deletions: 2, restored: 1 })
    // The newest record, whichever deletion took it last.
    expect(await liveRecords(server, device)).toEqual(['2026-03-01T21:30:00 #1 222s'])
    expect(await restore(device, first.id)).toBeUndefined()
  })

  test('a complete record takes the place of a temporary one, never the other way round', async () => {
    await upload(server, [night(1, { treatment_time: 800 }), night(2, { is_temp: true, log_file_id: 20 })])
    await erase()
    await upload(server, [night(1, { is_temp: true, log_file_id: 10 }), night(2, { log_file_id: 21 })])
    expect(await restore()).toEqual({ deletions: 1, restored: 1 })
    expect(await liveRecords(server, device)).toEqual([
      '2026-03-01T21:30:00 #1 800s',
      '2026-03-02T21:30:00 #21 720s',
    ])
  })

  test('the treatment stays with the child who wore the device', async () => {
    await upload(server, [night(1)])
    await erase()
    const sibling = await addChild(server, parent.token)
    await server.database.pool.query('UPDATE device SET real_user_id = $1 WHERE id = $2', [
      sibling.real_user_id,
      child.device_id,
    ])
    await restore()
    const { rows } = await server.database.pool.query(
      'SELECT real_user_id FROM treatment WHERE device_id = $1',
      [child.device_id],
    )
    expect(rows).toEqual([{ real_user_id: child.real_user_id }])
  })
})

test('companion devlog deletions and restore', async () => {
  await upload(server, [night(1), night(2)])
  await erase()
  const shown = await companion(server, 'devlog', 'deletions', '--unique-id', device, '--json')
  expect(shown.code).toBe(0)
  expect(JSON.parse(shown.out)).toMatchObject([{ unique_id: device, deleted_count: 2, restored_at: null }])
  const done = await companion(server, 'devlog', 'restore', '--unique-id', device, '--json')
  expect(JSON.parse(done.out)).toEqual({ unique_id: device, deletions: 1, restored: 2 })
  expect(await liveRecords(server, device)).toHaveLength(2)

  const again = await companion(server, 'devlog', 'restore', '--unique-id', device)
  expect(again).toMatchObject({ code: 1, out: '', said: 'There is no deletion of this device to undo\n' })
})

test('DEVLOG_DELETION=before-pairing keeps what the device recorded since it was paired', async () => {
  const careful = await startServer({ DEVLOG_DELETION: 'before-pairing' }, server.databaseUrl)
  try {
    await server.database.pool.query(
      `UPDATE device SET connected_at = timestamptz '2026-03-02 12:00-05' WHERE id = $1`,
      [child.device_id],
    )
    const at = (time: string, log_file_id: number) => devlogItem(device, time, { log_file_id })
    await upload(server, [
      at('2026-03-02T11:59:59', 1),
      at('2026-03-02T12:00:00', 2),
      at('2026-03-03T20:00', 3),
    ])
    expect((await erase(device, careful)).body.message).toBe('Deleted 1 device logs')
    expect(await liveRecords(server, device)).toHaveLength(2)
    expect(await erase(device, careful)).toMatchObject({ status: 404 })
    expect((await erase()).body.message).toBe('Deleted 2 device logs')
  } finally {
    await careful.stop()
  }
})

test('companion devlog check-stored finds what no constraint keeps out', async () => {
  await upload(server, [night(1), night(2, { is_temp: true })])
  const { pool } = server.database
  const sound = {
    without_device: 0,
    without_child: 0,
    temporary_beside_complete: 0,
    temporary_beside_longer: 0,
  }
  expect(await checkDevlogs(server.database)).toEqual(sound)
  const insert = `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id,
      last_intensity, finish_flag, is_temp, intensity_record) VALUES ($1, $2, $3, 1, 99, 1, 1, $4, '{}')`
  // Its row for locks, on which a distributed database insists.
  const { rows: heads } = await pool.query(`SELECT WHERE to_regclass('device_lock') IS NOT NULL`)
  if (heads.length > 0) await pool.query('INSERT INTO device_lock (id) VALUES (2000000000)')
  await pool.query(insert, [2_000_000_000, child.real_user_id, '2026-03-01', false])
  await pool.query(insert, [child.device_id, 2_000_000_000, '2026-03-05', false])
  await pool.query(insert, [child.device_id, child.real_user_id, '2026-03-01T21:30:00', true])
  const found = { ...sound, without_device: 1, without_child: 1, temporary_beside_complete: 1 }
  const done = await companion(server, 'devlog', 'check-stored', '--json')
  expect({ code: done.code, found: JSON.parse(done.out) }).toEqual({ code: 1, found })
  await pool.query('DELETE FROM treatment WHERE log_file_id = 99')
})

test('several temporary records of one use, as earlier versions kept them, become one by deleting and restoring', async () => {
  const { pool } = server.database
  await upload(server, [night(1), night(2, { is_temp: true, treatment_time: 360 })])
  await pool.query(
    `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity, finish_flag,
       is_temp, intensity_record)
     SELECT device_id, real_user_id, treatment_date, length, 100 + length, 1, 1, true, '{}'
     FROM treatment t, unnest('{720, 1080, 1080}'::int[]) WITH ORDINALITY AS l (length, n)
     WHERE t.is_temp AND t.deleted_at IS NULL AND t.device_id = $1
     ON CONFLICT DO NOTHING`,
    [child.device_id],
  )
  expect(await checkDevlogs(server.database)).toMatchObject({ temporary_beside_longer: 2 })
  await server.delete('/api/v1/gamma/device/devlog', { query: { unique_id: child.unique_id } })
  expect((await companion(server, 'devlog', 'restore', '--unique-id', child.unique_id)).code).toBe(0)
  expect(await checkDevlogs(server.database)).toMatchObject({ temporary_beside_longer: 0 })
  expect((await liveRecords(server, child.unique_id)).map((record) => record.slice(20))).toEqual([
    '#1 720s',
    '#1180 1080s temp',
  ])
})
