import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { addBasestation, reading, uploadReadings } from '../../support/home.ts'
import type { BasestationCodes } from '../../support/home.ts'
import { inBetween } from '../../support/lock.ts'
import { useServer } from '../../support/server.ts'

const server = useServer()
const PATH = '/api/v1/beta/basestation'

let parent: Account
let station: BasestationCodes
beforeEach(async () => {
  parent = await signUp(server)
  station = await addBasestation(server)
})

const connect = (codes: object = station, account = parent) =>
  server.post(PATH, { token: account.token, json: codes })
const list = async (account = parent) => (await server.get(PATH, { token: account.token })).body
const disconnect = (id: number, account = parent) => server.delete(`${PATH}/${id}`, { token: account.token })
const measure = (day: number, temperature = 21) =>
  uploadReadings(server, [
    reading(station.unique_id, `2026-03-${String(day).padStart(2, '0')}T22:00:00`, { temperature }),
  ])

const notOwned = { status: 403, body: { detail: 'This device does not belong to the user' } }
const taken = { status: 409, body: { detail: 'Already Connected Device' } }

describe('connect', () => {
  test('the base station is listed, the first one connected first', async () => {
    const second = await addBasestation(server)
    const one = await connect()
    const two = await connect({ ...second, unique_id: second.unique_id.toUpperCase() })
    expect(one.status).toBe(200)
    expect(one.body).toEqual({
      basestation_id: expect.any(Number),
      ...station,
      connected_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect(await list()).toEqual([one.body, two.body])
    expect(await list(await signUp(server))).toEqual([])
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

  test('an account deleted meanwhile gets none', async () => {
    const answer = await inBetween(server, {
      lock: `SELECT FROM root_user WHERE id = ${parent.id} FOR UPDATE`,
      change: `UPDATE root_user SET deleted_at = now() WHERE id = ${parent.id}`,
      call: () => connect(),
    })
    expect(answer).toMatchObject({ status: 401, body: { detail: 'User is Deleted' } })
    expect((await connect(station, await signUp(server))).status).toBe(200)
  })
})

describe('disconnect', () => {
  test('it is free for the next account, which sees nothing of what it measured before', async () => {
    const { basestation_id } = (await connect()).body
    expect((await measure(1)).status).toBe(200)
    expect(await disconnect(basestation_id)).toMatchObject({
      status: 200,
      body: { statusCode: 200, message: expect.any(String) },
    })
    expect(await list()).toEqual([])
    expect(await measure(2)).toMatchObject({ status: 409, body: { detail: 'Not Connected Device' } })
    const next = await signUp(server)
    expect((await connect(station, next)).body.basestation_id).toBe(basestation_id)
    await measure(3)
    const { rows } = await server.database.pool.query(
      'SELECT root_user_id FROM sleep_reading WHERE basestation_id = $1 ORDER BY measured_at',
      [basestation_id],
    )
    expect(rows).toEqual([{ root_user_id: parent.id }, { root_user_id: next.id }])
  })

  test('absent is 404; connected to another or to nobody is 403', async () => {
    const { basestation_id } = (await connect()).body
    expect(await disconnect(999_999)).toMatchObject({ status: 404, body: { detail: 'Device not found' } })
    expect(await disconnect(basestation_id, await signUp(server))).toMatchObject(notOwned)
    expect(await list()).toHaveLength(1)
    await disconnect(basestation_id)
    expect(await disconnect(basestation_id)).toMatchObject(notOwned)
  })

  test('it goes with the account', async () => {
    await connect()
    await server.delete('/api/v1/beta/user/root-user', { token: parent.token })
    expect((await connect(station, await signUp(server))).status).toBe(200)
  })
})

test('connects and disconnects at the same time: one owner who lists it, or none', async () => {
  const other = await signUp(server)
  const { basestation_id } = (await connect()).body
  for (let round = 0; round < 15; round += 1) {
    const answers = await Promise.all([
      connect(),
      connect(station, other),
      disconnect(basestation_id),
      disconnect(basestation_id, other),
      connect(station, other),
      measure(round + 1),
    ])
    for (const { status } of answers) expect(status).toBeLessThan(500)
    const { rows } = await server.database.pool.query(
      `SELECT b.root_user_id, c.root_user_id AS open FROM basestation b
       LEFT JOIN basestation_connection c ON c.basestation_id = b.id AND c.disconnected_at IS NULL WHERE b.id = $1`,
      [basestation_id],
    )
    expect(rows).toHaveLength(1)
    expect(rows[0].open).toBe(rows[0].root_user_id)
    expect([...(await list()), ...(await list(other))]).toHaveLength(rows[0].open === null ? 0 : 1)
  }
})

describe('a reading outside the bounds', () => {
  const alerts = async () =>
    (
      await server.database.sql
        .selectFrom('alert')
        .select(['channel', 'kind', 'real_user_id', 'device_id', 'basestation_id'])
        .where('root_user_id', '=', parent.id)
        .execute()
    ).map((alert) => ({ ...alert }))
  const enable = (is_basestation_alert_enabled: boolean) =>
    server.patch('/api/v1/beta/user/notification', {
      token: parent.token,
      json: { is_device_muted: true, is_device_alim_talk_enabled: true, is_basestation_alert_enabled },
    })

  test('alerts the parent who asked for it, once for a base station and date', async () => {
    const { basestation_id } = (await connect()).body
    await measure(1, 35)
    expect(await alerts()).toEqual([])
    await enable(true)
    await measure(1, 35)
    expect(await alerts()).toEqual([])
    await measure(2, 21)
    expect(await alerts()).toEqual([])
    const alert = {
      channel: 'push',
      kind: 'basestation_environment',
      real_user_id: null,
      device_id: null,
      basestation_id,
    }
    await measure(3, 28.1)
    await Promise.all([measure(3, 28.1), measure(3, 28.1)])
    expect(await alerts()).toEqual([alert])
    await measure(4, 15.9)
    expect(await alerts()).toEqual([alert, alert])
    await measure(5, 16)
    await measure(6, 28)
    expect(await alerts()).toHaveLength(2)
  })

  test('a night of them in one upload is one alert', async () => {
    await connect()
    await enable(true)
    const minutes = Array.from({ length: 60 }, (_, minute) => String(minute).padStart(2, '0'))
    const stuffy = { temperature: 31, humidity: 10 }
    const { status } = await uploadReadings(
      server,
      minutes.map((minute) => reading(station.unique_id, `2026-03-01T22:${minute}:00`, stuffy)),
    )
    expect(status).toBe(200)
    expect(await alerts()).toHaveLength(1)
  })
})
