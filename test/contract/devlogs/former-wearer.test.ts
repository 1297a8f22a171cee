import { beforeEach, describe, expect, test } from 'vitest'
import { exportFamilyForOperator } from '@companion/server/account/export-family.ts'
import { restoreDevlogs } from '@companion/server/devlogs/devlog-deletion.ts'
import { addChild, devlogItem, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { inBetween } from '../../support/lock-waits.ts'
import { OPERATOR } from '../../support/operator.ts'
import { useServer } from '../../support/server.ts'
import { liveRecords } from '../../support/treatments.ts'

/* Calls without a token reach the records of the child who wears the device now, and of nobody before. */

const server = useServer()
const MARCH = { start_date: '2026-03-01', end_date: '2026-03-31' }

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
let next: Account
let nextChild: Awaited<ReturnType<typeof addChild>>
let query: { unique_id: string }
beforeEach(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
  next = await signUp(server)
  nextChild = await addChild(server, next.token)
  query = { unique_id: child.unique_id }
  await upload(server, [night(1), night(2)])
})

const night = (day: number) =>
  devlogItem(child.unique_id, `2026-03-0${day}T21:00:00`, { log_file_id: day * 10 })
const handOver = async (to: Account, real_user_id: number) => {
  const { device_id, serial_code, mac_id, unique_id } = child
  for (const { token } of [parent, next]) await server.delete(`/api/v1/beta/device/${device_id}`, { token })
  const json = { real_user_id, serial_code, mac_id, unique_id }
  const { status, body } = await server.post('/api/v1/beta/device', { token: to.token, json })
  expect(status).toBe(200)
  return body
}
const history = async () => {
  const period = { select_mode: 1, year: 2026, select_data: 3 }
  const { body } = await server.get('/api/v1/gamma/device/history', { query: { ...query, ...period } })
  return body.map(({ date }: { date: string }) => date)
}
const detail = (event_date: string) =>
  server.get('/api/v1/gamma/device/detail', { query: { ...query, event_date } })
const exported = async () =>
  (await server.get('/api/v1/gamma/device/export', { query: { ...query, ...MARCH } })).status
const erase = () => server.delete('/api/v1/gamma/device/devlog', { query })
const lastLogFile = async ({ token }: Account) =>
  (await server.get('/api/v1/beta/device', { token })).body.find(
    ({ unique_id }: { unique_id: string }) => unique_id === child.unique_id,
  ).last_log_file_id
const noLogs = { status: 404, body: { detail: 'Device Log not found' } }
const chart = async () =>
  (
    await server.get('/api/v1/beta/chart/recent', {
      token: parent.token,
      query: { real_user_id: child.real_user_id, current_date: '2026-03-03' },
    })
  ).body.treatment_time_data.length

describe('the next family', () => {
  test("sees no night of the former wearer's, and deletes none", async () => {
    await handOver(next, nextChild.real_user_id)
    expect(await history()).toEqual([])
    expect(await detail('2026-03-01')).toMatchObject({ status: 200, body: { treatment_data: [] } })
    expect(await exported()).toBe(404)
    expect(await erase()).toMatchObject(noLogs)
    expect(await chart()).toBe(2)
  })

  test('sees and deletes its own alone, and a deletion that is undone brings back its own alone', async () => {
    await handOver(next, nextChild.real_user_id)
    await upload(server, [night(3)])
    expect(await history()).toEqual(['2026-03-03'])
    expect(await exported()).toBe(200)
    expect(await erase()).toMatchObject({ status: 200, body: { message: 'Deleted 1 device logs' } })
    expect(await chart()).toBe(2)
    await server.database.transaction((sql) =>
      restoreDevlogs(sql, { uniqueId: child.unique_id, operator: OPERATOR }),
    )
    expect(await history()).toEqual(['2026-03-03'])
    expect(await liveRecords(server, child.unique_id)).toHaveLength(3)
  })

  test("reads in its account's export of its own deletions alone", async () => {
    await erase()
    await handOver(next, nextChild.real_user_id)
    await upload(server, [night(3)])
    await erase()
    const deletions = async ({ email }: Account) =>
      (await exportFamilyForOperator(server.database, email, OPERATOR))?.['devlog_deletion']
    expect(await deletions(parent)).toMatchObject([{ real_user_id: child.real_user_id, deleted_count: 2 }])
    expect(await deletions(next)).toMatchObject([{ real_user_id: nextChild.real_user_id, deleted_count: 1 }])
  })

  test('a night that the device sends again stays with the child who wore it', async () => {
    await handOver(next, nextChild.real_user_id)
    expect((await upload(server, [night(1)])).status).toBe(200)
    expect(await history()).toEqual([])
    expect(await lastLogFile(next)).toBe(0)
    expect(await chart()).toBe(2)
  })
})

test('a device that nobody wears has no records', async () => {
  await server.delete(`/api/v1/beta/device/${child.device_id}`, { token: parent.token })
  expect(await history()).toEqual([])
  expect(await detail('2026-03-01')).toMatchObject({ status: 200, body: { treatment_data: [] } })
  expect(await exported()).toBe(404)
  expect(await erase()).toMatchObject(noLogs)
})

test('a child that gets its device back finds its nights', async () => {
  await handOver(next, nextChild.real_user_id)
  await upload(server, [night(3)])
  expect((await handOver(parent, child.real_user_id)).last_log_file_id).toBe(20)
  expect(await history()).toEqual(['2026-03-01', '2026-03-02'])
})

test('a record that is completed while its former wearer is erased is erased too', async () => {
  await handOver(next, nextChild.real_user_id)
  const deleted = await inBetween(server, {
    // As by an upload of the device, which completes a temporary record under another number.
    lock: `SELECT FROM device WHERE id = ${child.device_id} FOR NO KEY UPDATE`,
    change: `INSERT INTO treatment (device_id, real_user_id, treatment_date, treatment_time, log_file_id, last_intensity,
        finish_flag, intensity_record) VALUES (${child.device_id}, ${child.real_user_id}, '2026-03-03', 60, 30, 1, 1, '{}')`,
    call: () => server.delete('/api/v1/beta/user/root-user', { token: parent.token }),
  })
  expect(deleted.status).toBe(200)
  const { rows } = await server.database.pool.query('SELECT FROM treatment WHERE real_user_id = $1', [
    child.real_user_id,
  ])
  expect(rows).toEqual([])
})

describe('last_log_file_id', () => {
  test('is that of the present connection', async () => {
    expect(await lastLogFile(parent)).toBe(20)
    expect((await handOver(next, nextChild.real_user_id)).last_log_file_id).toBe(0)
    await upload(server, [night(3)])
    expect(await lastLogFile(next)).toBe(30)
  })

  test('falls with the record that raised it, and rises again when the deletion is undone', async () => {
    await upload(server, [{ ...night(4), log_file_id: 2_147_483_647 }])
    expect(await lastLogFile(parent)).toBe(2_147_483_647)
    await erase()
    expect(await lastLogFile(parent)).toBe(0)
    await upload(server, [night(5)])
    expect(await lastLogFile(parent)).toBe(50)
    await server.database.transaction((sql) =>
      restoreDevlogs(sql, { uniqueId: child.unique_id, operator: OPERATOR }),
    )
    expect(await lastLogFile(parent)).toBe(2_147_483_647)
  })
})
