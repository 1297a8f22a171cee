import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { listRejected, retryRejected } from '@companion/server/devlogs/rejected-devlogs.ts'
import { companion } from '../../support/command.ts'
import { addChild, addDevice, devlogItem, signUp, upload } from '../../support/family.ts'
import type { DeviceCodes } from '../../support/family.ts'
import { inBetween, somebodyWaits } from '../../support/lock-waits.ts'
import { useServer } from '../../support/server.ts'
import { liveRecords } from '../../support/treatments.ts'

const server = useServer()
let child: Awaited<ReturnType<typeof addChild>>
const NIGHT = '2026-03-01T21:30:00'
let spare: string

beforeAll(async () => {
  child = await addChild(server, (await signUp(server)).token)
  spare = (await addDevice(server)).unique_id
  await upload(
    server,
    [
      devlogItem(child.unique_id, '1970-01-01T00:00'),
      devlogItem(spare, NIGHT),
      devlogItem(randomUUID(), NIGHT),
      devlogItem(child.unique_id, NIGHT, { log_file_id: 7 }),
    ],
    { prefer: 'handling=lenient' },
  )
})

const rejected = (...args: string[]) => companion(server, 'devlog', 'rejected', ...args)

test('list, show, retry and drop', async () => {
  const items = await listRejected(server.database)
  expect(items).toHaveLength(2)
  const early = items.find(({ content }) => content.includes('1970'))
  const foreign = items.find(({ content }) => content.includes(spare))
  expect(early?.reason).toMatch(/^detail_data\.treatment_date: must lie between 2015-01-01/)
  expect(foreign).toMatchObject({
    reason: 'Not Connected Device',
    address: expect.stringContaining('127.0.0.1'),
  })
  const [first = 0, second = 0] = [early, foreign].map((item) => Number(item?.id))
  const list = async () => JSON.parse((await rejected('list', '--json')).out)
  expect(await list()).toContainEqual(expect.objectContaining({ id: second, reason: 'Not Connected Device' }))
  const shown = await rejected('show', String(second), '--json')
  expect(JSON.parse(shown.out)).toMatchObject({ id: second, content: { unique_id: spare } })

  const retried = await retryRejected(server.database)
  expect(retried).toHaveLength(2)
  expect(retried).toContainEqual({ id: first, status: 'rejected', detail: early?.reason })
  expect(retried).toContainEqual({ id: second, status: 'rejected', detail: 'Not Connected Device' })
  // The device is paired after the record has arrived.
  await server.database.pool.query(
    'UPDATE device SET real_user_id = $1, connected_at = now() WHERE unique_id = $2',
    [child.real_user_id, spare],
  )
  const kept = await rejected('retry')
  expect(kept.out).toMatch(
    new RegExp(`^ *${second} +kept +Nobody is known to have worn the device when the record arrived$`, 'm'),
  )
  expect(kept.out).toContain('\n1 kept: ')
  expect(await listRejected(server.database)).toEqual(items)
  expect(await rejected('retry', '--for-present-wearer')).toMatchObject({
    code: 1,
    said: '--for-present-wearer needs an id\n',
  })
  const stored = await rejected('retry', String(second), '--for-present-wearer', '--json')
  expect(JSON.parse(stored.out)).toEqual([{ id: second, status: 'stored' }])
  expect(await liveRecords(server, spare)).toEqual([`${NIGHT} #1 720s`])

  expect(await rejected('drop', String(first))).toMatchObject({ code: 0, out: `${first} dropped\n` })
  expect(await listRejected(server.database)).toEqual([])
  expect(await rejected('show', String(first))).toMatchObject({
    code: 1,
    out: '',
    said: 'There is no rejected item with this id\n',
  })
})

describe('when the device changes hands', () => {
  type Family = Awaited<ReturnType<typeof makeFamily>>
  const makeFamily = async () => {
    const { id, token } = await signUp(server)
    return { id, token, ...(await addChild(server, token)) }
  }

  const handOn = async (device: DeviceCodes & { device_id: number }, from: Family, to: Family) => {
    const left = await server.delete(`/api/v1/beta/device/${device.device_id}`, { token: from.token })
    const { serial_code, mac_id, unique_id } = device
    const json = { real_user_id: to.real_user_id, serial_code, mac_id, unique_id }
    const came = await server.post('/api/v1/beta/device', { token: to.token, json })
    expect([left.status, came.status]).toEqual([200, 200])
  }

  /** Sets a record of the device aside that can be stored: a stranger's token came with it. */
  const rejected = async (unique_id: string) => {
    const authorization = `Bearer ${(await signUp(server)).token}`
    await upload(server, [devlogItem(unique_id, NIGHT)], { prefer: 'handling=lenient', authorization })
    return lastKept()
  }

  const lastKept = async () => {
    const last = (await listRejected(server.database)).at(-1)
    if (!last) throw new Error('Nothing was rejected')
    return last
  }

  test('a record is stored for no other child, however it is retried, but for the same again', async () => {
    const [first, next] = [await makeFamily(), await makeFamily()]
    const { id } = await rejected(first.unique_id)
    await handOn(first, first, next)
    const kept = {
      id: Number(id),
      status: 'kept',
      detail: 'Another child wore the device when the record arrived',
    }
    expect(await retryRejected(server.database)).toContainEqual(kept)
    expect(await retryRejected(server.database, id)).toEqual([kept])
    expect(await retryRejected(server.database, id, true)).toEqual([kept])
    expect(await liveRecords(server, first.unique_id)).toEqual([])
    expect((await lastKept()).reason).toBe('Not authorized user')

    await handOn(first, next, first)
    expect(await retryRejected(server.database)).toContainEqual({ id: Number(id), status: 'stored' })
    const { rows } = await server.database.pool.query(
      'SELECT real_user_id FROM treatment WHERE device_id = $1',
      [first.device_id],
    )
    expect(rows).toEqual([{ real_user_id: first.real_user_id }])
  })

  test('nor when that happens while it is retried', async () => {
    const [first, next] = [await makeFamily(), await makeFamily()]
    const { id } = await rejected(first.unique_id)
    const outcomes = await inBetween(server, {
      lock: `SELECT FROM device WHERE id = ${first.device_id} FOR UPDATE`,
      change: `UPDATE device SET real_user_id = ${next.real_user_id} WHERE id = ${first.device_id}`,
      call: () => retryRejected(server.database, id),
    })
    expect(outcomes).toMatchObject([{ status: 'kept' }])
    expect(await liveRecords(server, first.unique_id)).toEqual([])
  })

  test('who connects it before the record is rejected did not wear it when that arrived', async () => {
    const { real_user_id } = await makeFamily()
    const { unique_id } = await addDevice(server)
    await inBetween(server, {
      lock: 'LOCK TABLE rejected_devlog IN SHARE MODE',
      change: `UPDATE device SET real_user_id = ${real_user_id}, connected_at = clock_timestamp()
        WHERE unique_id = '${unique_id}'`,
      call: () => rejected(unique_id),
    })
    expect(await lastKept()).toMatchObject({
      content: expect.stringContaining(unique_id),
      real_user_id: null,
    })
  })

  test('a record that is rejected while the child is deleted does not stay with it', async () => {
    const { real_user_id, unique_id } = await makeFamily()
    await inBetween(server, {
      lock: `SELECT FROM real_user WHERE id = ${real_user_id} FOR UPDATE`,
      change: `UPDATE real_user SET deleted_at = now() WHERE id = ${real_user_id}`,
      call: () => rejected(unique_id),
    })
    expect(await lastKept()).toMatchObject({
      content: expect.stringContaining(unique_id),
      real_user_id: null,
    })
  })

  test('setting aside records of siblings and deleting their account do not deadlock', async () => {
    const { id, token, real_user_id, unique_id } = await makeFamily()
    const sibling = await addChild(server, token)
    // As after a transfer there and back: its row lies behind that of the sibling.
    for (const root_user_id of [(await signUp(server)).id, id]) {
      const handOver = server.database.sql.updateTable('real_user').set({ root_user_id })
      await handOver.where('id', '=', real_user_id).execute()
    }
    const responses = await inBetween(server, {
      lock: `SELECT FROM real_user WHERE id = ${sibling.real_user_id} FOR UPDATE`,
      change: 'SELECT',
      waiting: 2,
      call: () =>
        Promise.all([
          server.delete('/api/v1/beta/user/root-user', { token }),
          somebodyWaits(server.database).then(() =>
            upload(
              server,
              [unique_id, sibling.unique_id].map((id) => devlogItem(id, '1970-01-01T00:00')),
              { prefer: 'handling=lenient' },
            ),
          ),
        ]),
    })
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    const { rows } = await server.database.pool.query(
      'SELECT FROM rejected_devlog WHERE real_user_id = ANY ($1)',
      [[real_user_id, sibling.real_user_id]],
    )
    expect(rows).toEqual([])
  })
})
