import { beforeEach, expect, test } from 'vitest'
import { codesOf, deviceErrors, devices } from '../../support/devices.ts'
import { addChild, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const { connect, disconnect, list, ...calls } = devices(server)
const { notAuthorized, notFound } = deviceErrors

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeEach(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
})

const rename = (device_alias: unknown, account = parent, device_id = child.device_id) =>
  calls.rename(account, device_id, device_alias)

test('the alias is what it is called', async () => {
  const before = await list(parent)
  const { status, body } = await rename('미나의 기기 🌙')
  expect(status).toBe(200)
  expect(body).toEqual({ ...before[0], device_alias: '미나의 기기 🌙' })
  expect(await list(parent)).toEqual([body])
})

test.each(['', 'x'.repeat(101), null, 5, undefined, 'a\0b'])('%j is 422', async (alias) => {
  expect((await rename(alias)).status).toBe(422)
})

test("absent or worn by nobody is 404, another family's 401", async () => {
  const other = await signUp(server)
  expect(await rename('x', parent, 999_999)).toMatchObject(notFound)
  expect(await rename('Stolen', other)).toMatchObject(notAuthorized)
  expect(await list(parent)).toMatchObject([{ device_alias: child.serial_code }])
  await disconnect(parent, child.device_id)
  expect(await rename('x')).toMatchObject(notFound)
})

test('the name does not follow the device to the next child', async () => {
  await rename('Mina')
  await disconnect(parent, child.device_id)
  const other = await signUp(server)
  const { real_user_id } = await addChild(server, other.token)
  expect((await connect(other, real_user_id, codesOf(child))).body.device_alias).toBe(child.serial_code)
})
