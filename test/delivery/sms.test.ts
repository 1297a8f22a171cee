import { createHmac, randomBytes } from 'node:crypto'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { anyPhone, signUp } from '../support/family.ts'
import { closedPort, listen } from '../support/outside/local-server.ts'
import type { LocalServer } from '../support/outside/local-server.ts'
import { startServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'
import { holdTimeouts } from '../support/timeouts.ts'
import { until } from '../support/until.ts'

const SID = 'AC0123456789abcdef0123456789abcdef'
const TOKEN = 'an auth token that nobody may see'
const SECRET = 'a webhook secret of at least 32 bytes'
const PUBLIC_URL = 'https://companion.example.com'
const failed = { status: 409, body: { detail: 'Failed to send SMS' } }

async function start(environment: Record<string, string>): Promise<TestServer> {
  const server = await startServer({ PUBLIC_URL, ...environment })
  onTestFinished(() => server.stop())
  return server
}

const twilio = (url: string, more: Record<string, string> = {}) =>
  start({
    SMS_PROVIDER: 'twilio',
    TWILIO_ACCOUNT_SID: SID,
    TWILIO_AUTH_TOKEN: TOKEN,
    TWILIO_FROM: '+12025550123',
    TWILIO_BASE_URL: url,
    ...more,
  })

const webhook = (url: string, secret = SECRET) =>
  start({ SMS_PROVIDER: 'webhook', SMS_WEBHOOK_URL: url, SMS_WEBHOOK_SECRET: secret })

const send = (server: TestServer, phone: string, headers: Record<string, string> = {}) =>
  server.post('/api/v1/alpha/auth/send-sms-auth', { json: { phone }, headers })
const verify = (server: TestServer, phone: string, validnum: string) =>
  server.post('/api/v1/alpha/auth/phone-number-validation', { json: { phone, validnum } })
const codes = (server: TestServer) => server.database.sql.selectFrom('sms_code').selectAll().execute()

/** Answers as Twilio documents it: 201 and the message. */
const accepts = () =>
  listen((response) => {
    response.writeHead(201, { 'content-type': 'application/json' }).end('{"sid":"SM1","status":"queued"}')
  })

const textOf = ({ received }: LocalServer) => new URLSearchParams(received.at(-1)?.body).get('Body') ?? ''

afterEach(() => {
  vi.useRealTimers()
})

describe('Twilio', () => {
  test('gets the message as its API documents it, and the code in it works', async () => {
    const api = await accepts()
    const server = await twilio(api.url)
    const phone = anyPhone()
    expect((await send(server, phone)).status).toBe(200)
    const [request] = api.received
    expect(request).toMatchObject({
      method: 'POST',
      path: `/2010-04-01/Accounts/${SID}/Messages.json`,
      headers: {
        authorization: `Basic ${Buffer.from(`${SID}:${TOKEN}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
      },
    })
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      To: phone,
      From: '+12025550123',
      Body: expect.stringMatching(/\d{6}/),
    })
    const [code = ''] = /\d{6}/.exec(textOf(api)) ?? []
    expect((await verify(server, phone, code)).status).toBe(200)
  })

  test('sends by a messaging service when that is configured', async () => {
    const api = await accepts()
    const server = await twilio(api.url, { TWILIO_FROM: 'MG0123456789abcdef0123456789abcdef' })
    await send(server, anyPhone())
    const form = new URLSearchParams(api.received[0]?.body)
    expect(form.get('MessagingServiceSid')).toBe('MG0123456789abcdef0123456789abcdef')
    expect(form.has('From')).toBe(false)
  })

  test.each([
    [400, '{"code":21211,"message":"The To number +821012345678 is not valid","status":400}'],
    [401, '{"code":20003,"message":"Authenticate","status":401}'],
    [429, '{"code":20429}'],
    [500, '<html>'],
    [302, ''],
  ])('that answers %i leaves no code behind and nothing personal in the log', async (status, body) => {
    const api = await listen((response) => {
      response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(body)
    })
    const server = await twilio(api.url)
    const phone = anyPhone()
    expect(await send(server, phone)).toMatchObject(failed)
    expect(api.received).toHaveLength(1)
    expect(await codes(server)).toEqual([])
    const [code = ''] = /\d{6}/.exec(textOf(api)) ?? []
    expect(await verify(server, phone, code)).toMatchObject({ status: 400 })
    for (const secret of [TOKEN, phone, code, '+821012345678']) expect(server.log()).not.toContain(secret)
  })

  test('out of reach is told at once', async () => {
    const server = await twilio(`http://127.0.0.1:${await closedPort()}`)
    expect(await send(server, anyPhone())).toMatchObject(failed)
  })

  test('that is slow is given 5 seconds, without keeping a database connection from anybody', async () => {
    const api = await listen(() => undefined)
    const server = await twilio(api.url, { DATABASE_POOL: '2' })
    const timeouts = holdTimeouts()
    const waiting = Promise.all(Array.from({ length: 10 }, () => send(server, anyPhone())))
    await until(() => api.received.length === 10)
    expect((await send(server, 'not a phone')).status).toBe(400)
    expect(await verify(server, anyPhone(), '000000')).toMatchObject({ status: 400 })
    expect(timeouts.milliseconds).toEqual(Array(10).fill(5000))
    timeouts.expire()
    for (const response of await waiting) expect(response).toMatchObject(failed)
    expect(await codes(server)).toEqual([])
  })

  test('a failed message does not take away a newer code', async () => {
    const responses: (() => void)[] = []
    const api = await listen((response) => {
      const status = responses.length > 0 ? 201 : 500
      responses.push(() => response.writeHead(status).end('{}'))
    })
    const server = await twilio(api.url)
    const phone = anyPhone()
    const first = send(server, phone)
    await until(() => responses.length === 1)
    const second = send(server, phone)
    await until(() => responses.length === 2)
    responses[1]?.()
    expect((await second).status).toBe(200)
    responses[0]?.()
    expect(await first).toMatchObject(failed)
    const [code = ''] = /\d{6}/.exec(textOf(api)) ?? []
    expect((await verify(server, phone, code)).status).toBe(200)
  })
})

describe('the webhook', () => {
  const KEY = randomBytes(32)

  test.each([
    ['a text', SECRET, SECRET],
    ['made by its libraries', `whsec_${KEY.toString('base64')}`, KEY],
  ])(
    'gets a message signed as Standard Webhooks has it, with a secret that is %s',
    async (_, secret, key) => {
      const gateway = await listen((response) => void response.end('ok'))
      const server = await webhook(`${gateway.url}/sms?tenant=1`, secret)
      vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-01T12:00:00Z') })
      const phone = anyPhone()
      expect((await send(server, phone)).status).toBe(200)
      const [request] = gateway.received
      const {
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signature,
      } = request?.headers ?? {}
      expect(request).toMatchObject({ method: 'POST', path: '/sms?tenant=1' })
      expect(Number(timestamp)).toBe(Date.now() / 1000)
      const expected = createHmac('sha256', key)
        .update(`${String(id)}.${String(timestamp)}.${request?.body}`)
        .digest('base64')
      expect(signature).toBe(`v1,${expected}`)
      const message = JSON.parse(request?.body ?? '')
      expect(message).toEqual({ to: phone, text: expect.stringContaining(message.code), code: message.code })
      expect((await verify(server, phone, message.code)).status).toBe(200)
    },
  )

  test.each([400, 503, 307])('that answers %i has failed', async (status) => {
    const gateway = await listen((response) => void response.writeHead(status, { location: '/again' }).end())
    const server = await webhook(gateway.url)
    expect(await send(server, anyPhone())).toMatchObject(failed)
    expect(await codes(server)).toEqual([])
  })

  test('that is slow is given 5 seconds', async () => {
    const gateway = await listen(() => undefined)
    const server = await webhook(gateway.url)
    const timeouts = holdTimeouts()
    const waiting = send(server, anyPhone())
    await until(() => gateway.received.length)
    timeouts.expire()
    expect(await waiting).toMatchObject(failed)
    expect(timeouts.milliseconds).toEqual([5000])
  })
})

describe('the text', () => {
  test('is Korean for Korean numbers and English for others, unless the phone asks for another', async () => {
    const server = await start({})
    const textFor = async (phone: string, accepted?: string) => {
      await send(server, phone, accepted === undefined ? {} : { 'accept-language': accepted })
      return (await server.outbox()).at(-1)?.['text']
    }
    expect(await textFor('+821012345678')).toMatch(/^\[Companion\] 인증번호는 \d{6}입니다/)
    expect(await textFor('+12025550188')).toMatch(/^\[Companion\] Your verification code is \d{6}\./)
    expect(await textFor('+821012345679', 'en-US')).toContain('Your verification code')
    expect(await textFor('+12025550189', 'ko-KR,ko;q=0.9')).toContain('인증번호')
  })

  test('ends with the app hash and the line of domain and code, so that phones fill the code in', async () => {
    const server = await start({ SMS_APP_HASH: 'FA+9qCX9VSu' })
    await send(server, '+12025550190')
    const { text = '', code } = (await server.outbox()).at(-1) ?? {}
    expect(text.split('\n').slice(-2)).toEqual(['FA+9qCX9VSu', `@companion.example.com #${code}`])
  })
})

describe('budgets', () => {
  test('only countries that are served get messages, told by the whole number', async () => {
    const server = await start({ SMS_COUNTRIES: 'KR, US' })
    for (const phone of ['+821012345678', '+12025550191'])
      expect((await send(server, phone)).status).toBe(200)
    // Jamaica and Canada share the calling code of the United States.
    for (const phone of ['+18765550123', '+14165550123', '+447911123456', '+9991234567']) {
      expect(await send(server, phone)).toMatchObject({
        status: 400,
        body: { detail: 'Phone number is invalid' },
      })
    }
    expect(await server.outbox()).toHaveLength(2)
  })

  test('the service sends SMS_DAILY_CAP messages in 24 hours to all callers together', async () => {
    const server = await start({ SMS_DAILY_CAP: '3', RATE_LIMITS: 'on' })
    // A number that is refused costs nothing.
    const { phone } = await signUp(server)
    expect((await send(server, phone)).status).toBe(409)
    expect((await send(server, anyPhone())).status).toBe(200)
    expect((await send(server, anyPhone())).status).toBe(200)
    const refused = await send(server, anyPhone())
    expect(refused).toMatchObject({ status: 429, body: { detail: 'Too many requests' } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(86_000)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_401_000 })
    expect((await send(server, anyPhone())).status).toBe(200)
  })
})
