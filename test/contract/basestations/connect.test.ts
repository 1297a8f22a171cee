import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { addBasestation, basestations } from '../../support/basestations.ts'
import type { BasestationCodes } from '../../support/basestations.ts'
import { inBetween } from '../../support/lock-waits.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const { list, ...calls } = basestations(server)

let parent: Account
let station: BasestationCodes
beforeEach(async () => {
  parent = await signUp(server)
  station = await addBasestation(server)
})

const connect = (codes: object = station, account = parent) => calls.connect(account, codes)
const taken = { status: 409, body: { detail: 'Already Connected Device' } }

test('the base station is connected, and answers as the listing shows it', async () => {
  const { status, body } = await connect({ ...station, unique_id: station.unique_id.toUpperCase() })
  expect(status).toBe(200)
  expect(body).toEqual({
    basestation_id: expect.any(Number),
    ...station,
    connected_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  })
  expect(await list(parent)).toEqual([body])
})

test.each(['short', 'lower-case', '', 'BST 000001'])('serial code %j is 400', async (serial_code) => {
  expect(await connect({ ...station, serial_code })).toMatchObject({
    status: 400,
    body: { detail: 'Serial code is not valid' },
  })
})

test('codes that belong to no base station, or to two, are 404', async () => {
  const other = await addBasestation(server)
  for (const codes of [
    { ...station, serial_code: 'BST-NOWHERE' },
    { ...station, unique_id: randomUUID() },
    { ...station, unique_id: other.unique_id },
  ]) {
    expect(await connect(codes)).toMatchObject({ status: 404, body: { detail: 'Not Found Device' } })
  }
})

test('one that is connected to anyone is 409', async () => {
  await connect()
  expect(await connect()).toMatchObject(taken)
  expect(await connect(station, await signUp(server))).toMatchObject(taken)
})

test.each([{ unique_id: 'x' }, { unique_id: undefined }, { serial_code: null }])(
  '%j is 422',
  async (wrong) => {
    expect((await connect({ ...station, ...wrong })).status).toBe(422)
  },
)

test('an account that is deleted in between gets none', async () => {
  const response = await inBetween(server, {
    lock: `SELECT FROM root_user WHERE id = ${parent.id} FOR UPDATE`,
    change: `UPDATE root_user SET deleted_at = now() WHERE id = ${parent.id}`,
    call: () => connect(),
  })
  expect(response).toMatchObject({ status: 401, body: { detail: 'User is Deleted' } })
  expect((await connect(station, await signUp(server))).status).toBe(200)
})
