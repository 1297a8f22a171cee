import { beforeEach, expect, test } from 'vitest'
import { codesOf, deviceErrors, devices } from '../../support/devices.ts'
import { addChild, devlogItem, signUp, upload } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { inBetween } from '../../support/lock-waits.ts'
import { useServer } from '../../support/server.ts'
import { tally } from '../../support/response-tally.ts'

const server = useServer()
const { connect, list, ...calls } = devices(server)
const { notAuthorized, notFound } = deviceErrors

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeEach(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
})

const disconnect = (account = parent, device_id = child.device_id) => calls.disconnect(account, device_id)

test('the device is free, and refused until it is worn again', async () => {
  expect(await disconnect()).toMatchObject({
    status: 200,
    body: { statusCode: 200, message: expect.any(String) },
  })
  expect(await list(parent)).toEqual([])
  expect((await upload(server, [devlogItem(child.unique_id, '2026-03-01T21:00:00')])).status).toBe(409)
  expect(await disconnect()).toMatchObject(notFound)
  expect((await connect(parent, child.real_user_id, codesOf(child))).status).toBe(200)
})

test("absent is 404, another family's 401", async () => {
  const other = await signUp(server)
  expect(await disconnect(parent, 999_999)).toMatchObject(notFound)
  expect(await disconnect(other)).toMatchObject(notAuthorized)
  expect(await list(parent)).toHaveLength(1)
})

test('of many disconnects, one is the one', async () => {
  const responses = await Promise.all(Array.from({ length: 10 }, () => disconnect()))
  expect(tally(responses)).toEqual({ 200: 1, '404 Not Found Device': 9 })
})

test('a device that another family has got in this moment stays with it', async () => {
  const other = await signUp(server)
  const theirs = await addChild(server, other.token)
  const response = await inBetween(server, {
    lock: `SELECT FROM device WHERE id = ${child.device_id} FOR UPDATE`,
    change: `UPDATE device SET real_user_id = ${theirs.real_user_id} WHERE id = ${child.device_id}`,
    call: () => disconnect(),
  })
  expect(response).toMatchObject(notFound)
  expect(await list(other)).toHaveLength(2)
})
