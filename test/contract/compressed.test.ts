import { expect, test } from 'vitest'
import { addChild, devlogItem, signUp } from '../support/family.ts'
import { raw } from '../support/raw-http.ts'
import { useServer } from '../support/server.ts'

const APP = 'https://app.example.com'
const server = useServer({ CORS_ORIGINS: APP })

const DEVLOG = '/api/v1/gamma/device/devlog'

/** A parent whose child was treated in each of 30 nights. */
async function month() {
  const { token } = await signUp(server)
  const { real_user_id, unique_id } = await addChild(server, token)
  const days = Array.from({ length: 30 }, (_, n) => `2026-04-${String(n + 1).padStart(2, '0')}`)
  const json = days.map((day) => devlogItem(unique_id, `${day}T21:30:00`))
  expect((await server.post(DEVLOG, { json })).status).toBe(200)
  const query = `real_user_id=${real_user_id}&select_mode=1&current_date=2026-04-30`
  return { token, real_user_id, unique_id, chart: `/api/v1/beta/chart/recent?${query}` }
}

const sent = (method: string, path: string, token: string, encoding?: string) =>
  raw(server.url, method, path, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(encoding === undefined ? {} : { 'accept-encoding': encoding }),
    },
  })

test('an answer of more than 1 kB is compressed for a client that accepts it, and is the same', async () => {
  const { token, chart, real_user_id } = await month()
  const plain = await sent('GET', chart, token)
  expect(plain.text.length).toBeGreaterThan(1000)
  expect(plain.headers).toMatchObject({ vary: 'Origin, Accept-Encoding', 'cache-control': 'no-store' })
  for (const encoding of ['identity', 'br', 'gzip;q=0', '', 'deflate, identity;q=0.5']) {
    const { headers, text } = await sent('GET', chart, token, encoding)
    expect([headers['content-encoding'], text]).toEqual([undefined, plain.text])
  }
  for (const encoding of ['gzip', 'br, gzip;q=0.8', '*']) {
    const get = await sent('GET', chart, token, encoding)
    expect(get.headers).toMatchObject({ vary: 'Origin, Accept-Encoding', 'content-encoding': 'gzip' })
    expect(Number(get.headers['content-length'])).toBeLessThan(plain.text.length / 4)
    const head = await sent('HEAD', chart, token, encoding)
    const { date: _date, 'x-request-id': _id, ...same } = get.headers
    expect(head).toMatchObject({ status: 200, text: '', headers: same })
  }
  // The client of these tests accepts gzip, and unpacks it.
  const unpacked = await server.get(chart, { token })
  expect(unpacked.headers.get('content-encoding')).toBe('gzip')
  expect(unpacked.body).toEqual(JSON.parse(plain.text))
  const input = JSON.stringify({ real_user_id, select_mode: 1, current_date: '2026-04-30' })
  const rpc = await server.get('/trpc/charts.recent', { token, query: { input } })
  expect(rpc.headers.get('content-encoding')).toBe('gzip')
  expect(rpc.body).toEqual({ result: { data: unpacked.body } })
})

test('a version names the event however it travels', async () => {
  const { token, real_user_id } = await month()
  const json = { real_user_id, created_at: '2026-04-30', memo: 'Slept well. '.repeat(80) }
  const saved = await server.post('/api/v1/beta/event', { token, json })
  const path = `/api/v1/beta/event?real_user_id=${real_user_id}&event_date=2026-04-30`
  const [packed, plain] = [await sent('GET', path, token, 'gzip'), await sent('GET', path, token)]
  expect(packed.headers['content-encoding']).toBe('gzip')
  expect(new Set([saved.headers.get('etag'), packed.headers.etag, plain.headers.etag]).size).toBe(1)
  const headers = { 'if-match': packed.headers.etag ?? '' }
  expect((await server.post('/api/v1/beta/event', { token, json, headers })).status).toBe(200)
})

test('errors are compressed as well, large ones in a thread', async () => {
  const { token, real_user_id } = await month()
  const medication = Array.from({ length: 100 }, () => ({
    medication_name: 5,
    medication_dose: 'x'.repeat(300),
  }))
  const json = { real_user_id, created_at: '2026-04-30', event_data: { medication } }
  const { status, headers, body } = await server.post('/api/v1/beta/event', { token, json })
  expect([status, headers.get('content-encoding'), body.detail.length]).toEqual([422, 'gzip', 100])
  expect(JSON.stringify(body).length).toBeGreaterThan(32_000)
})

test('small answers, files and answers to devices travel as they are', async () => {
  const { token, unique_id, real_user_id } = await month()
  const me = await sent('GET', '/api/v1/beta/user/me', token, 'gzip')
  expect([me.status, me.headers.vary, me.headers['content-encoding']]).toEqual([200, 'Origin', undefined])
  const day = '2026-04-30'
  const history = `/api/v1/gamma/device/history?unique_id=${unique_id}&select_mode=1&year=2026&select_data=4`
  const device = await sent('GET', history, token, 'gzip')
  expect(device.text.length).toBeGreaterThan(1000)
  expect([device.headers.vary, device.headers['content-encoding']]).toEqual(['Origin', undefined])
  const exported = `/api/v1/gamma/device/export?unique_id=${unique_id}&start_date=${day}&end_date=${day}`
  expect((await sent('GET', exported, token, 'gzip')).headers['content-encoding']).toBeUndefined()
  const pdf = `/api/v1/beta/pdf/export?real_user_id=${real_user_id}&current_date=${day}&select_mode=0`
  expect((await sent('GET', pdf, token, 'gzip')).headers['content-encoding']).toBeUndefined()
})
