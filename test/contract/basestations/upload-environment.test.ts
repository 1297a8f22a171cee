import { gzipSync } from 'node:zlib'
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import {
  addBasestation,
  connectBasestation,
  disconnectBasestation,
  reading,
  uploadReadings,
} from '../../support/basestations.ts'
import { inBetween } from '../../support/lock-waits.ts'
import { startServer, useServer } from '../../support/server.ts'

const server = useServer()
const PATH = '/api/v1/gamma/basestation/environment'
const AT = '2026-03-20T02:30:00'
const saved = { status: 200, body: { statusCode: 200, message: 'Sleep environment saved successfully' } }
const unknown = { status: 404, body: { detail: 'Not Found Device' } }
const unconnected = { status: 409, body: { detail: 'Not Connected Device' } }

let parent: Account
let station: Awaited<ReturnType<typeof connectBasestation>>
beforeEach(async () => {
  parent = await signUp(server)
  station = await connectBasestation(server, parent.token)
})

const stored = async ({ basestation_id } = station) => {
  const { rows } = await server.database.pool.query(
    `SELECT root_user_id, measured_at::text, temperature, humidity, brightness, noise FROM sleep_reading
     WHERE basestation_id = $1 ORDER BY measured_at`,
    [basestation_id],
  )
  return rows
}

test('readings are kept raw, for the account that is connected', async () => {
  const other = await signUp(server)
  const second = await connectBasestation(server, other.token)
  const response = await uploadReadings(server, [
    reading(station.unique_id.toUpperCase(), '2026-03-20T02:30', { temperature: -3.25, humidity: 99.9 }),
    reading(second.unique_id, AT, { brightness: 2 ** 31 - 1, noise: 0 }),
    reading(station.unique_id, '2026-03-20T02:31:00.5'),
  ])
  expect(response).toMatchObject(saved)
  expect(Object.keys(response.body)).toEqual(['statusCode', 'message'])
  expect(await stored()).toEqual([
    {
      root_user_id: parent.id,
      measured_at: '2026-03-20 02:30:00',
      temperature: -3.25,
      humidity: 99.9,
      brightness: 3,
      noise: 30,
    },
    {
      root_user_id: parent.id,
      measured_at: '2026-03-20 02:31:00.5',
      temperature: 21.5,
      humidity: 45,
      brightness: 3,
      noise: 30,
    },
  ])
  expect(await stored(second)).toMatchObject([{ root_user_id: other.id, brightness: 2 ** 31 - 1, noise: 0 }])
})

test('a repeated reading counts once, in a later call and in the same, where the first counts', async () => {
  const items = [1, 2].map((noise) => reading(station.unique_id, AT, { noise }))
  expect(await uploadReadings(server, items)).toMatchObject(saved)
  expect(
    await uploadReadings(server, [...items, reading(station.unique_id, '2026-03-20T02:35:00')]),
  ).toMatchObject(saved)
  expect((await stored()).map(({ noise }) => noise)).toEqual([1, 30])
})

test('the same readings at the same time, in any order, are stored once', async () => {
  const items = Array.from({ length: 60 }, (_, n) =>
    reading(station.unique_id, `2026-03-20T02:${String(n).padStart(2, '0')}:00`),
  )
  const responses = await Promise.all(
    Array.from({ length: 12 }, (_, n) => uploadReadings(server, n % 2 ? items : items.toReversed())),
  )
  for (const response of responses) expect(response).toMatchObject(saved)
  expect(await stored()).toHaveLength(60)
})

test('no reading is no harm, and 1,000 packed ones are one call', async () => {
  expect(await uploadReadings(server, [])).toMatchObject(saved)
  const items = Array.from({ length: 1000 }, (_, n) =>
    reading(station.unique_id, new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString().slice(0, 19)),
  )
  const response = await server.post(PATH, {
    body: gzipSync(JSON.stringify(items)),
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  })
  expect(response).toMatchObject(saved)
  expect(await stored()).toHaveLength(1000)
  expect(await uploadReadings(server, [...items, items[0]])).toMatchObject({
    status: 422,
    body: { detail: [{ type: 'too_big', loc: ['body'] }] },
  })
})

describe('errors', () => {
  test('an unknown base station, an unconnected one, both: all or nothing', async () => {
    const free = await addBasestation(server)
    const good = reading(station.unique_id, AT)
    expect(await uploadReadings(server, [good, reading(randomUUID(), AT)])).toMatchObject(unknown)
    expect(await uploadReadings(server, [good, reading(free.unique_id, AT)])).toMatchObject(unconnected)
    const both = [good, reading(free.unique_id, AT), reading(randomUUID(), AT)]
    expect(await uploadReadings(server, both)).toMatchObject(unknown)
    expect(await stored()).toEqual([])
    await disconnectBasestation(server, parent.token, station.basestation_id)
    expect(await uploadReadings(server, [good])).toMatchObject(unconnected)
  })

  test('guessing ids is limited', async () => {
    const limited = await startServer({ RATE_LIMITS: 'on' })
    try {
      const guess = (ids: string[]) =>
        uploadReadings(
          limited,
          ids.map((id) => reading(id, AT)),
        )
      for (let n = 0; n < 10; n++) {
        const ids = [randomUUID(), randomUUID()]
        expect(await guess([...ids, ...ids])).toMatchObject(unknown)
      }
      expect(await guess([randomUUID()])).toMatchObject({
        status: 429,
        body: { detail: 'Too many requests' },
      })
    } finally {
      await limited.stop()
    }
  })

  const latest = (offset: number) => new Date(Date.now() + offset).toISOString().slice(0, 19)

  test.each([
    ['unique_id', 'x', 'invalid_format'],
    ['measured_at', `${AT}Z`, 'invalid'],
    ['measured_at', `${AT}+09:00`, 'invalid'],
    ['measured_at', '2026-02-29T00:00:00', 'invalid'],
    ['measured_at', '2014-12-31T23:59:59', 'clock'],
    ['measured_at', latest(49 * 3_600_000), 'clock'],
    ['temperature', '21', 'invalid_type'],
    ['temperature', null, 'invalid_type'],
    ['temperature', 60.1, 'too_big'],
    // What broken sensors say.
    ['temperature', 85, 'too_big'],
    ['temperature', -127, 'too_small'],
    ['temperature', -40.1, 'too_small'],
    ['humidity', -0.1, 'too_small'],
    ['humidity', 100.1, 'too_big'],
    ['brightness', 1.5, 'invalid_type'],
    ['brightness', -1, 'too_small'],
    ['noise', 2 ** 31, 'too_big'],
    ['noise', undefined, 'missing'],
  ])('%s %j', async (field, value, type) => {
    const items = [reading(station.unique_id, AT), { ...reading(station.unique_id, AT), [field]: value }]
    expect(await uploadReadings(server, items)).toMatchObject({
      status: 422,
      body: { detail: [{ type, loc: ['body', '1', field] }] },
    })
    expect(await stored()).toEqual([])
  })

  test('something else than a list', async () => {
    for (const json of [{}, null, 'x', reading(station.unique_id, AT)]) {
      expect(await server.post(PATH, { json })).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ['body'] }] },
      })
    }
  })
})

describe('handling=lenient', () => {
  const send = (items: unknown[]) => uploadReadings(server, items, { prefer: 'handling=lenient' })
  const results = async (items: unknown[]) => {
    const { status, body } = await send(items)
    expect(status).toBe(200)
    return body.results.map(({ index, status: verdict, detail }: Record<string, unknown>) =>
      [index, verdict, ...(detail === undefined ? [] : [detail])].join(' '),
    )
  }

  test('the good readings are stored, and each has its result', async () => {
    const free = await addBasestation(server)
    const good = reading(station.unique_id, AT)
    const items = [
      reading(station.unique_id, '1970-01-01T00:00:00'),
      good,
      { ...good, temperature: null },
      reading(free.unique_id, AT),
      good,
      { ...good, measured_at: '2026-03-20T02:35:00', temperature: 85 },
      reading(randomUUID(), AT),
      'no reading',
      reading(station.unique_id, '2026-03-20T02:40:00'),
    ]
    expect(await results(items)).toEqual([
      '0 rejected measured_at: must lie between 2015-01-01 and 48 hours from now',
      '1 stored',
      expect.stringMatching(/^2 rejected temperature: /),
      '3 rejected Not Connected Device',
      '4 duplicate',
      expect.stringMatching(/^5 rejected temperature: /),
      '6 rejected Not Found Device',
      expect.stringMatching(/^7 rejected item: /),
      '8 stored',
    ])
    expect((await stored()).map(({ measured_at }) => measured_at)).toEqual([
      '2026-03-20 02:30:00',
      '2026-03-20 02:40:00',
    ])
    expect(await results(items.slice(1, 2))).toEqual(['0 duplicate'])
    expect(await results([])).toEqual([])
  })

  test('what is no list, or too long a one, is refused all the same', async () => {
    expect(await server.post(PATH, { json: {}, headers: { prefer: 'handling=lenient' } })).toMatchObject({
      status: 422,
    })
    expect(await send(Array.from({ length: 1001 }, () => reading(station.unique_id, AT)))).toMatchObject({
      status: 422,
    })
    expect(await stored()).toEqual([])
  })
})

describe('when the base station changes hands', () => {
  test('an upload that meets the change goes to the new owner', async () => {
    const next = await signUp(server)
    const response = await inBetween(server, {
      lock: `SELECT FROM basestation WHERE id = ${station.basestation_id} FOR UPDATE`,
      change: `UPDATE basestation SET root_user_id = ${next.id} WHERE id = ${station.basestation_id}`,
      call: () => uploadReadings(server, [reading(station.unique_id, AT)]),
    })
    expect(response).toMatchObject(saved)
    expect(await stored()).toMatchObject([{ root_user_id: next.id }])
  })

  test('an upload that meets the disconnection is refused', async () => {
    const response = await inBetween(server, {
      lock: `SELECT FROM basestation WHERE id = ${station.basestation_id} FOR UPDATE`,
      change: `UPDATE basestation SET root_user_id = NULL WHERE id = ${station.basestation_id}`,
      call: () => uploadReadings(server, [reading(station.unique_id, AT)]),
    })
    expect(response).toMatchObject(unconnected)
    expect(await stored()).toEqual([])
  })

  test('a deleted account leaves no reading, and its base stations are free', async () => {
    const earlier = await connectBasestation(server, parent.token)
    const remaining = await signUp(server)
    await uploadReadings(server, [reading(station.unique_id, AT), reading(earlier.unique_id, AT)])
    await disconnectBasestation(server, parent.token, earlier.basestation_id)
    await connectBasestation(server, remaining.token, earlier)
    await uploadReadings(server, [reading(earlier.unique_id, '2026-03-21T00:00:00')])
    expect(await server.delete('/api/v1/beta/user/root-user', { token: parent.token })).toMatchObject({
      status: 200,
    })
    expect(await stored()).toEqual([])
    expect(await stored(earlier)).toMatchObject([{ root_user_id: remaining.id }])
    for (const table of ['sleep_reading', 'reading_day', 'basestation_connection', 'basestation']) {
      const { rowCount } = await server.database.pool.query(`SELECT FROM ${table} WHERE root_user_id = $1`, [
        parent.id,
      ])
      expect(rowCount).toBe(0)
    }
    expect(await uploadReadings(server, [reading(station.unique_id, AT)])).toMatchObject(unconnected)
    const reconnected = await connectBasestation(server, remaining.token, station)
    expect(reconnected.basestation_id).toBe(station.basestation_id)
  })

  test('an upload that meets the deletion of the account leaves nothing behind', async () => {
    const response = await inBetween(server, {
      lock: `SELECT FROM basestation WHERE id = ${station.basestation_id} FOR UPDATE`,
      change: `UPDATE root_user SET deleted_at = now() WHERE id = ${parent.id}`,
      call: () => uploadReadings(server, [reading(station.unique_id, AT)]),
    })
    expect(response).toMatchObject(unconnected)
    expect(await stored()).toEqual([])
  })
})
