import { randomInt } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { anyPhone } from '../../support/family.ts'
import { startServer, useServer } from '../../support/server.ts'
import type { TestServer } from '../../support/server.ts'
import { tally } from '../../support/response-tally.ts'

const server = useServer({ RATE_LIMITS: 'on', TRUST_PROXY: '1' })
const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await server.database.pool.query('TRUNCATE sent_code, sms_country, rate_limit')
})
afterEach(() => {
  vi.useRealTimers()
})
const wait = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds)

let addresses = 0
/** Each call comes from an address of its own. */
const send = (phone: string, on: Pick<TestServer, 'post'> = server) =>
  on.post('/api/v1/alpha/auth/send-sms-auth', {
    json: { phone },
    headers: { 'x-forwarded-for': `2001:db8:${(++addresses).toString(16)}::1` },
  })
const american = () => `+1212${randomInt(2_000_000, 9_999_999)}`

async function enter(phone: string) {
  const { code } = (await server.outbox()).findLast(({ to }) => to === phone) ?? {}
  const json = { phone, validnum: code }
  expect((await server.post('/api/v1/alpha/auth/phone-number-validation', { json })).status).toBe(200)
}

/** So many codes that were sent to a country some time ago, of which some were entered. */
const sent = (count: number, entered: number, { country = 'KR', ago = 3 * MINUTE } = {}) =>
  server.database.pool.query(
    `INSERT INTO sent_code (country, sent_at, is_entered)
     SELECT $1, $2, n <= $3 FROM generate_series(1, $4) n`,
    [country, new Date(Date.now() - ago), entered, count],
  )
const counted = async (country: string) => {
  const { rowCount } = await server.database.pool.query('SELECT FROM sent_code WHERE country = $1', [country])
  return rowCount
}
const stopped = async () => {
  const { body } = await server.get('/metrics')
  return Number(/^companion_sms_country_stops_total\{country="KR"\} (\d+)$/m.exec(String(body))?.[1] ?? 0)
}

test('fewer than a tenth of 200 codes entered stop a country for an hour, with an alert', async () => {
  const phones = Array.from({ length: 200 }, anyPhone)
  for (const phone of phones) expect((await send(phone)).status).toBe(200)
  for (const phone of phones.slice(0, 19)) await enter(phone)
  const before = await stopped()
  wait(3 * MINUTE)

  const refused = await send(anyPhone())
  expect(refused).toMatchObject({ status: 429, body: { detail: 'Too many requests' } })
  expect(refused.headers.get('retry-after')).toBe('3600')
  expect(server.log()).toContain('SMS stopped')
  expect(await stopped()).toBe(before + 1)
  expect((await send(american())).status).toBe(200)

  wait(HOUR - SECOND)
  const still = await send(anyPhone())
  expect(still.status).toBe(429)
  expect(still.headers.get('retry-after')).toBe('1')
  expect(await stopped()).toBe(before + 1)

  // It then counts from zero.
  wait(SECOND)
  expect((await send(anyPhone())).status).toBe(200)
  await sent(198, 0)
  expect((await send(anyPhone())).status).toBe(200)
})

test('a tenth is enough, of the last 200 alone, and others are no longer kept', async () => {
  await sent(100, 0)
  await sent(200, 20)
  expect((await send(anyPhone())).status).toBe(200)
  expect(await counted('KR')).toBe(201)
  wait(3 * MINUTE)
  // The first of the 200 was entered, and no longer counts.
  expect((await send(anyPhone())).status).toBe(429)
})

test('a code counts from 3 minutes after its sending on', async () => {
  await sent(199, 0)
  expect((await send(anyPhone())).status).toBe(200)
  wait(3 * MINUTE - 1)
  expect((await send(anyPhone())).status).toBe(200)
  wait(1)
  expect((await send(anyPhone())).status).toBe(429)
})

test('no more than 200 codes wait to be entered, so that no flood is over before it counts', async () => {
  await sent(198, 0, { ago: MINUTE })
  const phones = Array.from({ length: 6 }, anyPhone)
  const responses = await Promise.all(phones.map((phone) => send(phone)))
  expect(tally(responses)).toEqual({ 200: 2, '429 Too many requests': 4 })
  const refused = responses.find(({ status }) => status === 429)
  expect(refused?.headers.get('retry-after')).toBe('120')

  const lucky = phones.find((_phone, n) => responses[n]?.status === 200) ?? ''
  await enter(lucky)
  expect((await send(anyPhone())).status).toBe(200)
  expect((await send(anyPhone())).status).toBe(429)
})

test('what a clock has said that was far ahead stops nothing', async () => {
  await sent(200, 0, { ago: -HOUR })
  await server.database.pool.query(
    `INSERT INTO sms_country (country, stopped_until) VALUES ('KR', now() + interval '1 year')`,
  )
  expect((await send(anyPhone())).status).toBe(200)
})

test('a code that was not sent does not count, nor what is refused against the cap of the day', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'companion-no-outbox-'))
  const file = join(directory, 'file')
  await writeFile(file, '')
  const limited = { RATE_LIMITS: 'on', TRUST_PROXY: '1' }
  const broken = await startServer(
    { ...limited, OUTBOX_FILE: join(file, 'outbox.jsonl') },
    server.databaseUrl,
  )
  const capped = await startServer({ ...limited, SMS_DAILY_CAP: '2' }, server.databaseUrl)
  onTestFinished(async () => {
    await Promise.all([broken.stop(), capped.stop()])
    await rm(directory, { recursive: true })
  })
  expect((await send(anyPhone(), broken)).status).toBe(409)
  expect(await counted('KR')).toBe(0)

  await sent(200, 0)
  for (let n = 0; n < 4; n += 1) expect((await send(anyPhone(), capped)).status).toBe(429)
  expect((await send(american(), capped)).status).toBe(200)
  expect((await send(american(), capped)).status).toBe(429)
})
