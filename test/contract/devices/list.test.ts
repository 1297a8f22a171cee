import { expect, test } from 'vitest'
import { devices, listedDevice } from '../../support/devices.ts'
import { addChild, addDevice, devlogItem, signUp, upload } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const { connect, list } = devices(server)

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

test('the highest log file received is shown', async () => {
  const parent = await signUp(server)
  const { unique_id } = await addChild(server, parent.token)
  await upload(server, [devlogItem(unique_id, '2026-03-01T21:00:00', { log_file_id: 41 })])
  expect(await list(parent)).toMatchObject([{ last_log_file_id: 41 }])
})
