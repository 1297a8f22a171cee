import { beforeEach, expect, test } from 'vitest'
import { signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { addBasestation, basestations, reading, uploadReadings } from '../../support/basestations.ts'
import type { BasestationCodes } from '../../support/basestations.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const { connect, list, ...calls } = basestations(server)

let parent: Account
let station: BasestationCodes
beforeEach(async () => {
  parent = await signUp(server)
  station = await addBasestation(server)
})

const disconnect = (id: number, account = parent) => calls.disconnect(account, id)
const measure = (date: string) => uploadReadings(server, [reading(station.unique_id, `${date}T22:00:00`)])
const notOwned = { status: 403, body: { detail: 'This device does not belong to the user' } }

test('it is free for the next account, which sees nothing of what it measured before', async () => {
  const { basestation_id } = (await connect(parent, station)).body
  expect((await measure('2026-03-01')).status).toBe(200)
  expect(await disconnect(basestation_id)).toMatchObject({
    status: 200,
    body: { statusCode: 200, message: expect.any(String) },
  })
  expect(await list(parent)).toEqual([])
  expect(await measure('2026-03-02')).toMatchObject({ status: 409, body: { detail: 'Not Connected Device' } })
  const next = await signUp(server)
  expect((await connect(next, station)).body.basestation_id).toBe(basestation_id)
  await measure('2026-03-03')
  const { rows } = await server.database.pool.query(
    'SELECT root_user_id FROM sleep_reading WHERE basestation_id = $1 ORDER BY measured_at',
    [basestation_id],
  )
  expect(rows).toEqual([{ root_user_id: parent.id }, { root_user_id: next.id }])
})

test('absent is 404; connected to another or to nobody is 403', async () => {
  const { basestation_id } = (await connect(parent, station)).body
  expect(await disconnect(999_999)).toMatchObject({ status: 404, body: { detail: 'Device not found' } })
  expect(await disconnect(basestation_id, await signUp(server))).toMatchObject(notOwned)
  expect(await list(parent)).toHaveLength(1)
  await disconnect(basestation_id)
  expect(await disconnect(basestation_id)).toMatchObject(notOwned)
})

test('it goes with the account', async () => {
  await connect(parent, station)
  await server.delete('/api/v1/beta/user/root-user', { token: parent.token })
  expect((await connect(await signUp(server), station)).status).toBe(200)
})
