import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { devices } from '../../support/devices.ts'
import { addChild, addDevice, devlogItem, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const { connect, list } = devices(server)

let parent: Account
let worn: string
let spare: string
beforeEach(async () => {
  parent = await signUp(server)
  const child = await addChild(server, parent.token)
  worn = child.unique_id
  const other = await addDevice(server)
  await connect(parent, child.real_user_id, other)
  spare = other.unique_id
})

const night = (device: string, more: object = {}) => devlogItem(device, '2026-03-01T21:30:00', more)
const send = (items: unknown[], headers: Record<string, string>) =>
  server.post('/api/v1/gamma/device/devlog', { json: items, headers })
const firmware = async (): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await list(parent)).map(({ unique_id, now_firmware_id }: any) => [unique_id, now_firmware_id]),
  )

test('the firmware that a stored upload reports is kept for its devices, a repeated one too', async () => {
  expect(await firmware()).toEqual({ [worn]: 1, [spare]: 1 })
  for (const id of ['12', '12', '0', '2147483647']) {
    expect((await send([night(worn)], { 'X-Firmware': id })).status).toBe(200)
    expect(await firmware()).toEqual({ [worn]: Number(id), [spare]: 1 })
  }
  expect((await send([night(worn), night(spare)], { 'X-Firmware': '13' })).status).toBe(200)
  expect(await firmware()).toEqual({ [worn]: 13, [spare]: 13 })
})

test('an upload that is refused keeps no firmware, and one without the header leaves it', async () => {
  const refused = await send([night(worn), night(randomUUID())], { 'X-Firmware': '12' })
  expect(refused.status).toBe(404)
  expect((await send([night(worn)], {})).status).toBe(200)
  expect(await firmware()).toEqual({ [worn]: 1, [spare]: 1 })
})

test('of a lenient upload the devices of its stored records count', async () => {
  const items = [night(worn), night(spare, { log_file_id: -1 }), night(randomUUID())]
  const { status, body } = await send(items, { prefer: 'handling=lenient', 'X-Firmware': '12' })
  expect(status).toBe(200)
  expect(body.results.map((each: { status: string }) => each.status)).toEqual([
    'stored',
    'rejected',
    'rejected',
  ])
  expect(await firmware()).toEqual({ [worn]: 12, [spare]: 1 })
})

test.each(['', 'x', '-1', '1.5', '2147483648', '99999999999', '0x10', '1,2'])(
  'X-Firmware: %j is 422, and nothing is stored',
  async (id) => {
    const { status, body } = await send([night(worn)], { 'X-Firmware': id })
    expect({ status, body }).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'invalid', loc: ['header', 'X-Firmware'], input: null }] },
    })
    const { rows } = await server.database.pool.query(
      'SELECT FROM treatment JOIN device d ON d.id = device_id WHERE d.unique_id = $1',
      [worn],
    )
    expect(rows).toEqual([])
  },
)
