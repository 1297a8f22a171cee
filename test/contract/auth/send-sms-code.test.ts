import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { anyPhone, signUp } from '../../support/family.ts'
import { startServer, useServer } from '../../support/server.ts'
import type { TestServer } from '../../support/server.ts'
import { tally } from '../../support/response-tally.ts'

const server = useServer()

const send = (
  on: Pick<TestServer, 'post'>,
  phone: unknown,
  { purpose, headers = {} }: { purpose?: string; headers?: Record<string, string> } = {},
) =>
  on.post('/api/v1/alpha/auth/send-sms-auth', { json: { phone, ...(purpose ? { purpose } : {}) }, headers })

const verify = (on: Pick<TestServer, 'post'>, phone: string, validnum: unknown) =>
  on.post('/api/v1/alpha/auth/phone-number-validation', { json: { phone, validnum } })

const tooMany = { status: 429, body: { detail: 'Too many requests' } }

test('sends six digits to the number and answers true', async () => {
  const phone = anyPhone()
  expect(await send(server, phone)).toMatchObject({ status: 200, body: true })
  const message = (await server.outbox()).findLast(({ to }) => to === phone)
  expect(message).toMatchObject({ channel: 'sms', code: expect.stringMatching(/^\d{6}$/) })
  expect(message?.['text']).toContain(message?.['code'])
})

test.each([
  '01012345678',
  '+0101234567',
  '+82 10 1234 5678',
  '+821012345678901234',
  '+12345',
  '',
  '+8210１２３４５６７８',
  '+821012345678\n',
  '+821012345678\0',
  '+82\uD8001012345678',
  `+${'8'.repeat(300)}`,
])('a phone that is not E.164 is refused: %j', async (phone) => {
  expect(await send(server, phone)).toMatchObject({
    status: 400,
    body: { detail: 'Phone number is invalid' },
  })
})

test.each([821012345678, null, true, ['+821012345678'], { phone: '+821012345678' }, undefined])(
  'a phone that is no text is a validation error: %j',
  async (phone) => {
    const { status, body } = await send(server, phone)
    expect(status).toBe(422)
    expect(body.detail).toMatchObject([{ loc: ['body', 'phone'] }])
  },
)

test('a registered number gets a code for recovery only', async () => {
  const { phone } = await signUp(server)
  const taken = { status: 409, body: { detail: 'Phone number is already registered' } }
  expect(await send(server, phone)).toMatchObject(taken)
  expect(await send(server, phone, { purpose: 'signup' })).toMatchObject(taken)
  expect(await send(server, phone, { purpose: 'recovery' })).toMatchObject({ status: 200, body: true })
  expect(await send(server, anyPhone(), { purpose: 'recovery' })).toMatchObject({ status: 200, body: true })
  expect(await send(server, anyPhone(), { purpose: 'other' })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', 'purpose'], input: 'other' }] },
  })
})

test('when the SMS cannot be sent, no code is left alive', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'companion-no-outbox-'))
  const file = join(directory, 'file')
  await writeFile(file, '')
  const broken = await startServer({ OUTBOX_FILE: join(file, 'outbox.jsonl') }, server.databaseUrl)
  onTestFinished(async () => {
    await broken.stop()
    await rm(directory, { recursive: true })
  })
  const phone = anyPhone()
  expect((await send(server, phone)).status).toBe(200)
  const code = (await server.outbox()).findLast(({ to }) => to === phone)?.['code']
  const codes = () => server.database.sql.selectFrom('sms_code').select('code_hash').execute()
  const before = (await codes()).length
  expect(await send(broken, phone)).toMatchObject({ status: 409, body: { detail: 'Failed to send SMS' } })
  expect((await codes()).length).toBe(before - 1)
  expect(await verify(server, phone, code)).toMatchObject({ status: 400 })
  expect(broken.log()).toContain('SMS not sent')
  expect(broken.log()).not.toContain(phone)
})

describe('limits', () => {
  const limited = useServer({ RATE_LIMITS: 'on', TRUST_PROXY: '1' })
  const MINUTE = 60_000
  let addresses = 0
  /** Each test, and what has nothing to do with addresses, comes from an address of its own. */
  const elsewhere = () => ({ headers: { 'x-forwarded-for': `2001:db8:${(++addresses).toString(16)}::1` } })

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const wait = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds)

  test('a number gets 3 codes at once, then 1 a minute, 5 an hour', async () => {
    const phone = anyPhone()
    const attempt = () => send(limited, phone, elsewhere())
    for (let n = 0; n < 3; n++) expect((await attempt()).status).toBe(200)
    const fourth = await attempt()
    expect(fourth).toMatchObject(tooMany)
    expect(Number(fourth.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(fourth.headers.get('retry-after'))).toBeLessThanOrEqual(60)

    wait(MINUTE)
    expect((await attempt()).status).toBe(200)
    expect(await attempt()).toMatchObject(tooMany)
    wait(MINUTE)
    expect((await attempt()).status).toBe(200)

    wait(MINUTE)
    const sixth = await attempt()
    expect(sixth).toMatchObject(tooMany)
    expect(Number(sixth.headers.get('retry-after'))).toBeGreaterThan(56 * 60)
    expect(Number(sixth.headers.get('retry-after'))).toBeLessThanOrEqual(57 * 60)
    wait(57 * MINUTE)
    expect((await attempt()).status).toBe(200)
  })

  test('two servers on one database share the limits, and calls at once do not slip through', async () => {
    const other = await startServer({ RATE_LIMITS: 'on', TRUST_PROXY: '1' }, limited.databaseUrl)
    onTestFinished(() => other.stop())
    const phone = anyPhone()
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, n) => send(n % 2 ? limited : other, phone, elsewhere())),
    )
    expect(tally(responses)).toEqual({ 200: 3, '429 Too many requests': 9 })
  })

  test('an address gets 20 codes an hour; behind a proxy it is the one that the proxy saw', async () => {
    const from = (address: string) => send(limited, anyPhone(), { headers: { 'x-forwarded-for': address } })
    for (let n = 0; n < 20; n++) expect((await from('203.0.113.7')).status).toBe(200)
    const next = await from('203.0.113.7')
    expect(next).toMatchObject(tooMany)
    expect(Number(next.headers.get('retry-after'))).toBeLessThanOrEqual(3600)
    // The client's own part of the header stands before the address that the proxy has added.
    expect(await from('198.51.100.1, 203.0.113.7')).toMatchObject(tooMany)
    expect((await from('203.0.113.8')).status).toBe(200)
    wait(60 * MINUTE)
    expect((await from('203.0.113.7')).status).toBe(200)
  })

  test('what is refused for a number takes nothing from others at the address', async () => {
    const { headers } = elsewhere()
    const phone = anyPhone()
    const responses = []
    for (let n = 0; n < 25; n++) responses.push(await send(limited, phone, { headers }))
    expect(tally(responses)).toEqual({ 200: 3, '429 Too many requests': 22 })
    expect((await send(limited, anyPhone(), { headers })).status).toBe(200)
  })

  test('an IPv6 client is counted by its /64, ten of them by their /48, and IPv4 as IPv4 wherever it is carried', async () => {
    const from = (address: string) => send(limited, anyPhone(), { headers: { 'x-forwarded-for': address } })
    const subscriber = (n: number) => `2001:db8:aaaa:1:${n.toString(16)}::1`
    for (let n = 0; n < 20; n++) expect((await from(subscriber(n))).status).toBe(200)
    expect(await from(subscriber(20))).toMatchObject(tooMany)
    expect((await from('2001:db8:aaaa:2::1')).status).toBe(200)

    for (let n = 0; n < 20; n++)
      expect((await from(n % 2 ? '203.0.113.9' : '::ffff:203.0.113.9')).status).toBe(200)
    for (const address of ['203.0.113.9', '::ffff:203.0.113.9', '203.0.113.9:4711'])
      expect(await from(address)).toMatchObject(tooMany)

    // The site has used 21 of its 200.
    await limited.database.pool.query(
      `UPDATE rate_limit SET points = 199 WHERE key LIKE 'smsPerAddressAndSite:%' AND points = 21`,
    )
    expect((await from('2001:db8:aaaa:3::1')).status).toBe(200)
    expect(await from('2001:db8:aaaa:4::1')).toMatchObject(tooMany)
    expect((await from('2001:db8:aaab:4::1')).status).toBe(200)
  })

  test('without a configured proxy X-Forwarded-For is not believed', async () => {
    const open = await startServer({ RATE_LIMITS: 'on' })
    onTestFinished(() => open.stop())
    for (let n = 0; n < 20; n++) expect((await send(open, anyPhone(), elsewhere())).status).toBe(200)
    expect(await send(open, anyPhone(), elsewhere())).toMatchObject(tooMany)
  })

  test('10,000 neighbouring numbers get 20 codes an hour from all callers together, errors not counted', async () => {
    // None of `anyPhone` lies in it.
    const block = '+82104777'
    const to = (n: number, options = {}) =>
      send(limited, `${block}${String(n).padStart(4, '0')}`, { ...elsewhere(), ...options })
    const { phone } = await signUp(limited, { phone: `${block}9999` })
    for (let n = 0; n < 19; n++) {
      expect((await to(500 * n)).status).toBe(200)
      if (n < 3) expect((await send(limited, phone, elsewhere())).status).not.toBe(200)
    }
    const next = await to(1)
    expect(next).toMatchObject(tooMany)
    expect(Number(next.headers.get('retry-after'))).toBeGreaterThan(3500)
    expect(Number(next.headers.get('retry-after'))).toBeLessThanOrEqual(3600)
    expect(await to(2, { purpose: 'recovery' })).toMatchObject(tooMany)
    expect((await send(limited, '+821047780000', elsewhere())).status).toBe(200)
    wait(60 * MINUTE)
    expect((await to(1)).status).toBe(200)
  })

  test('the table of limits shows neither numbers nor addresses', async () => {
    const phone = anyPhone()
    await send(limited, phone, { headers: { 'x-forwarded-for': '203.0.113.77' } })
    const { rows } = await limited.database.pool.query('SELECT r::text AS line FROM rate_limit r')
    const dump = JSON.stringify(rows)
    expect(dump).not.toContain(phone)
    expect(dump).not.toContain('203.0.113.77')
  })
})
