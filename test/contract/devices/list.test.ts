import { expect, test } from 'vitest'
import { codesOf, devices, listedDevice } from '../../support/devices.ts'
import { addChild, addDevice, devlogItem, signUp, upload } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const { connect, disconnect, list } = devices(server)

test('every device of every child of the family, and of no other', async () => {
  const parent = await signUp(server)
  const child = await addChild(server, parent.token)
  const sibling = await addChild(server, parent.token)
  const spare = await addDevice(server)
  await connect(parent, child.real_user_id, spare)
  await addChild(server, (await signUp(server)).token)
  const body = await list(parent)
  expect(body).toHaveLength(3)
  expect(body).toEqual(
    expect.arrayContaining([
      listedDevice(child, child.real_user_id),
      listedDevice(sibling, sibling.real_user_id),
      listedDevice(spare, child.real_user_id),
    ]),
  )
})

test('the highest log file received is shown, and when it came', async () => {
  const parent = await signUp(server)
  const { unique_id } = await addChild(server, parent.token)
  const item = devlogItem(unique_id, '2026-03-01T21:00:00', { log_file_id: 41 })
  await upload(server, [item])
  const [device] = await list(parent)
  expect(device).toMatchObject({ last_log_file_id: 41 })
  expect(device.last_upload_at > device.connected_at).toBe(true)
  // A retry brings nothing new.
  await upload(server, [item])
  expect(await list(parent)).toEqual([device])
})

test('the next child learns neither since when nor when last the former one wore the device', async () => {
  const former = await signUp(server)
  const child = await addChild(server, former.token)
  await upload(server, [devlogItem(child.unique_id, '2026-03-01T21:00:00')])
  const [worn] = await list(former)
  await disconnect(former, child.device_id)
  const parent = await signUp(server)
  const next = await addChild(server, parent.token)
  const { body } = await connect(parent, next.real_user_id, codesOf(child))
  expect(body).toMatchObject({ device_id: child.device_id, last_upload_at: null })
  expect(body.connected_at > worn.last_upload_at).toBe(true)
  expect(await list(parent)).toContainEqual(body)
})
