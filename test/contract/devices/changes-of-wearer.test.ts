import { beforeEach, describe, expect, test } from 'vitest'
import { codesOf, devices } from '../../support/devices.ts'
import { addChild, addDevice, devlogItem, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const { connect, disconnect, list } = devices(server)

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeEach(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
})

describe('history stays with the child who wore the device', () => {
  const chart = async (real_user_id: number, account = parent) =>
    (
      await server.get('/api/v1/beta/chart/recent', {
        token: account.token,
        query: { real_user_id, select_mode: 1, current_date: '2026-03-30' },
      })
    ).body.treatment_time_data
  const night = (day: number) =>
    devlogItem(child.unique_id, `2026-03-${String(day).padStart(2, '0')}T21:00:00`, { log_file_id: day })
  const dates = async (...query: Parameters<typeof chart>) =>
    (await chart(...query)).map((each: { treatment_date: string }) => each.treatment_date)

  test('when a broken device is replaced', async () => {
    await upload(server, [night(1)])
    await disconnect(parent, child.device_id)
    const replacement = await addDevice(server)
    await connect(parent, child.real_user_id, replacement)
    await upload(server, [devlogItem(replacement.unique_id, '2026-03-02T21:00:00')])
    expect(await dates(child.real_user_id)).toEqual(['2026-03-01', '2026-03-02'])
  })

  test('when it is handed to a sibling, and to another family', async () => {
    const sibling = await addChild(server, parent.token)
    await upload(server, [night(1)])
    await disconnect(parent, child.device_id)
    await connect(parent, sibling.real_user_id, codesOf(child))
    await upload(server, [night(1), night(2)])
    await disconnect(parent, child.device_id)
    const other = await signUp(server)
    const theirs = await addChild(server, other.token)
    await connect(other, theirs.real_user_id, codesOf(child))
    await upload(server, [night(1), night(2), night(3)])
    expect(await dates(child.real_user_id)).toEqual(['2026-03-01'])
    expect(await dates(sibling.real_user_id)).toEqual(['2026-03-02'])
    expect(await dates(theirs.real_user_id, other)).toEqual(['2026-03-03'])
  })
})

describe('at the same time', () => {
  const owners = async (unique_id: string) =>
    (
      await server.database.pool.query(
        'SELECT d.id, r.deleted_at FROM device d JOIN real_user r ON r.id = d.real_user_id WHERE d.unique_id = $1',
        [unique_id],
      )
    ).rows

  test('connects, disconnects and deletions mixed: each device has one owner who lists it, or none', async () => {
    const other = await signUp(server)
    const theirs = await addChild(server, other.token)
    const codes = codesOf(child)
    for (let round = 0; round < 12; round += 1) {
      const doomed = await addChild(server, parent.token)
      await disconnect(parent, child.device_id)
      const responses = await Promise.all([
        connect(parent, child.real_user_id, codes),
        connect(other, theirs.real_user_id, codes),
        connect(parent, doomed.real_user_id, codes),
        disconnect(parent, child.device_id),
        disconnect(other, child.device_id),
        server.delete('/api/v1/beta/user/delete-real-user', {
          token: parent.token,
          json: { real_user_id: doomed.real_user_id, unique_id: doomed.unique_id },
        }),
        upload(server, [devlogItem(child.unique_id, `2026-03-${round + 10}T21:00:00`)]),
      ])
      for (const { status } of responses) expect(status).toBeLessThan(500)
      const found = await owners(child.unique_id)
      const lists = [...(await list(parent)), ...(await list(other))]
      const listing = lists.filter(({ unique_id }) => unique_id === child.unique_id)
      expect(found.every(({ deleted_at }) => deleted_at === null)).toBe(true)
      expect(listing).toHaveLength(found.length)
      await disconnect(parent, child.device_id)
      await disconnect(other, child.device_id)
    }
  })

  test('an account deleted while it connects a device keeps none', async () => {
    for (let round = 0; round < 6; round += 1) {
      const account = await signUp(server)
      const { real_user_id } = await addChild(server, account.token)
      const device = await addDevice(server)
      await Promise.all([
        connect(account, real_user_id, device),
        server.delete('/api/v1/beta/user/root-user', { token: account.token }),
      ])
      expect(await owners(device.unique_id)).toEqual([])
    }
  })
})
