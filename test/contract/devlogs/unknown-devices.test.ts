import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { addChild, devlogItem, signUp, upload } from '../../support/family.ts'
import { addBasestation, reading, uploadReadings } from '../../support/basestations.ts'
import { isInLab, useServer } from '../../support/server.ts'
import { tally } from '../../support/response-tally.ts'

/* Twenty ids that nobody has registered, from one address in ten minutes, over all calls. */

const server = useServer({ RATE_LIMITS: 'on', TRUST_PROXY: '1' })
const NIGHT = '2026-03-01T21:30:00'

let headers: { 'x-forwarded-for': string }
let addresses = 0
beforeEach(() => {
  addresses += 1
  headers = { 'x-forwarded-for': `192.0.2.${addresses}` }
})

const device = '/api/v1/gamma/device'
const days = { start_date: '2026-03-01', end_date: '2026-03-02' }
const calls = {
  history: (unique_id: string) => server.get(`${device}/history`, { headers, query: { unique_id } }),
  detail: (unique_id: string) =>
    server.get(`${device}/detail`, { headers, query: { unique_id, event_date: '2026-03-01' } }),
  export: (unique_id: string) => server.get(`${device}/export`, { headers, query: { unique_id, ...days } }),
  delete: (unique_id: string) => server.delete(`${device}/devlog`, { headers, query: { unique_id } }),
  upload: (unique_id: string) => upload(server, [devlogItem(unique_id, NIGHT)], headers),
  'lenient upload': (unique_id: string) =>
    upload(server, [devlogItem(unique_id, NIGHT)], { ...headers, prefer: 'handling=lenient' }),
  'readings of a base station': (unique_id: string) =>
    uploadReadings(server, [reading(unique_id, NIGHT)], headers),
}

describe('unknown ids', () => {
  test.each(Object.entries(calls))('of %s: 429 after twenty, with Retry-After', async (_name, call) => {
    const responses = []
    for (let n = 0; n < 25; n += 1) responses.push(await call(randomUUID()))
    const refused = responses.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(5)
    for (const response of refused) {
      expect(response.body).toEqual({ detail: 'Too many requests' })
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(responses.slice(0, 20).map(({ status }) => status)).not.toContain(429)
  })

  test('count together over all calls', async () => {
    const all = Object.values(calls)
    const responses = []
    for (let n = 0; n < 28; n += 1) responses.push(await all[n % all.length]?.(randomUUID()))
    expect(responses.filter((response) => response?.status === 429)).toHaveLength(8)
  })

  test('count one by one when an upload names many', async () => {
    const twenty = Array.from({ length: 20 }, () => devlogItem(randomUUID(), NIGHT))
    expect((await upload(server, twenty, headers)).status).toBe(404)
    expect((await calls.detail(randomUUID())).status).toBe(429)
  })

  test('of one address are another address nothing, nor the registered devices behind the same', async () => {
    const { unique_id } = await addChild(server, (await signUp(server)).token)
    for (let n = 0; n < 25; n += 1) await calls.detail(randomUUID())
    expect(tally(await Promise.all([calls.upload(unique_id), calls.detail(unique_id)]))).toEqual({ 200: 2 })
    const station = await addBasestation(server)
    expect((await calls['readings of a base station'](station.unique_id)).status).toBe(409)
    headers = { 'x-forwarded-for': '198.51.100.7' }
    expect((await calls.detail(randomUUID())).status).toBe(400)
  })

  test('beyond the twenty do not keep out what a registered device sends in the same upload', async () => {
    const { unique_id } = await addChild(server, (await signUp(server)).token)
    for (let n = 0; n < 25; n += 1) await calls.detail(randomUUID())
    const items = [devlogItem(randomUUID(), NIGHT), devlogItem(unique_id, NIGHT)]
    expect(await upload(server, items, { ...headers, prefer: 'handling=lenient' })).toMatchObject({
      status: 200,
      body: { results: [{ status: 'rejected' }, { status: 'stored' }] },
    })
  })

  // In a lab the server's connections are not at hand.
  test.skipIf(isInLab)('beyond the twenty do not reach the statement of the call', async () => {
    const query = vi.spyOn(server.database.pool, 'query')
    onTestFinished(() => query.mockRestore())
    // The trail of earlier calls is written beside them.
    const statements = async (status: number) => {
      query.mockClear()
      expect((await calls.detail(randomUUID())).status).toBe(status)
      return query.mock.calls.map(([asked]) => Reflect.get(Object(asked), 'name'))
    }
    for (let n = 0; n < 20; n += 1) expect(await statements(400)).toContain('device-day')
    const refused = await statements(429)
    expect(refused).toContain('known-device')
    expect(refused).not.toContain('device-day')
  })
})
