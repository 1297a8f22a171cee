import { beforeEach, expect, test } from 'vitest'
import { codesOf, deviceErrors, devices, listedDevice } from '../../support/devices.ts'
import { addChild, addDevice, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { inBetween } from '../../support/lock-waits.ts'
import { useServer } from '../../support/server.ts'
import { tally } from '../../support/response-tally.ts'

const server = useServer()
const { list, ...calls } = devices(server)
const { notAuthorized, notFound, taken } = deviceErrors

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeEach(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
})

const connect = (device: object, real_user_id = child.real_user_id, account = parent) =>
  calls.connect(account, real_user_id, device)
const otherMac = (mac: string) => (mac === '0000' ? '0001' : '0000')

test('a second device is worn by the child, and answers as the listing shows it', async () => {
  const device = await addDevice(server)
  const { status, body } = await connect({ ...device, unique_id: device.unique_id.toUpperCase() })
  expect(status).toBe(200)
  expect(body).toEqual(listedDevice(device, child.real_user_id))
  expect(await list(parent)).toContainEqual(body)
})

test.each(['short', 'lower-case-1', 'CMP 000123', 'A'.repeat(33), ''])(
  'serial code %j is 400',
  async (serial_code) => {
    const device = await addDevice(server)
    expect(await connect({ ...device, serial_code })).toMatchObject({
      status: 400,
      body: { detail: 'Serial code is not valid' },
    })
  },
)

test('a known serial code with another MAC is 400', async () => {
  const device = await addDevice(server)
  expect(await connect({ ...device, mac_id: otherMac(device.mac_id) })).toMatchObject({
    status: 400,
    body: { detail: 'Serial code is not valid' },
  })
})

test('codes that belong to no device, or to two, are 404', async () => {
  const [one, two] = [await addDevice(server), await addDevice(server)]
  expect(await connect({ ...one, serial_code: 'CMP-NOWHERE' })).toMatchObject(notFound)
  expect(await connect({ ...one, unique_id: two.unique_id })).toMatchObject(notFound)
})

test('a device that anyone wears is 409, also the own child', async () => {
  const other = await addChild(server, (await signUp(server)).token)
  expect(await connect(codesOf(other))).toMatchObject(taken)
  expect(await connect(codesOf(child))).toMatchObject(taken)
})

test("a child that is another's, deleted or absent is 401, and the device stays free", async () => {
  const other = await addChild(server, (await signUp(server)).token)
  const gone = await addChild(server, parent.token)
  await server.delete('/api/v1/beta/user/delete-real-user', {
    token: parent.token,
    json: { real_user_id: gone.real_user_id, unique_id: gone.unique_id },
  })
  const device = await addDevice(server)
  for (const id of [other.real_user_id, gone.real_user_id, 999_999]) {
    expect(await connect(device, id)).toMatchObject(notAuthorized)
  }
  expect((await connect(device)).status).toBe(200)
})

test('a child that is deleted in this moment is 401, and the device stays free', async () => {
  const gone = await addChild(server, parent.token)
  const device = await addDevice(server)
  const response = await inBetween(server, {
    lock: `SELECT FROM real_user WHERE id = ${gone.real_user_id} FOR UPDATE`,
    change: `UPDATE real_user SET deleted_at = now() WHERE id = ${gone.real_user_id}`,
    call: () => connect(device, gone.real_user_id),
  })
  expect(response).toMatchObject(notAuthorized)
  expect((await connect(device)).status).toBe(200)
})

test.each([
  { mac_id: '1a2b' },
  { mac_id: '1A2' },
  { unique_id: 'x' },
  { real_user_id: null },
  { serial_code: 7 },
])('%j is 422', async (wrong) => {
  expect((await connect({ ...(await addDevice(server)), ...wrong })).status).toBe(422)
})

test('of many families that connect one device, one gets it', async () => {
  const device = await addDevice(server)
  const families = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const account = await signUp(server)
      return { account, id: (await addChild(server, account.token)).real_user_id }
    }),
  )
  const responses = await Promise.all(families.map(({ account, id }) => connect(device, id, account)))
  expect(tally(responses)).toEqual({ 200: 1, '409 Already Connected Device': 9 })
  const lists = await Promise.all(families.map(({ account }) => list(account)))
  expect(lists.flat().filter(({ unique_id }) => unique_id === device.unique_id)).toHaveLength(1)
})
