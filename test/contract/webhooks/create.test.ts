import type { ServerResponse } from 'node:http'
import { beforeEach, expect, test } from 'vitest'
import { addChild, signUp } from '../../support/family.ts'
import type { Account } from '../../support/family.ts'
import { closedPort } from '../../support/outside/local-server.ts'
import { startReceiver, verified } from '../../support/outside/receiver.ts'
import { useServer } from '../../support/server.ts'
import { tally } from '../../support/response-tally.ts'
import { failedFor, healthy, serviceFor, webhooks } from '../../support/webhooks.ts'

const server = useServer()

let parent: Account
let child: number
let tokens: Awaited<ReturnType<typeof serviceFor>>
beforeEach(async () => {
  parent = await signUp(server)
  child = (await addChild(server, parent.token)).real_user_id
  tokens = await serviceFor(server, parent, [child])
})

const create = (url: string, token = tokens.own) => webhooks(server, token).create(url)

test('a receiver that repeats the challenge, which is signed by the secret of the answer', async () => {
  const receiver = await startReceiver()
  const { status, body } = await create(`${receiver.url}/companion?of=study`)
  expect(status).toBe(200)
  expect(body).toEqual({
    ...healthy,
    webhook_id: expect.any(Number),
    url: `${receiver.url}/companion?of=study`,
    secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
    state: 'active',
    created_at: expect.any(String),
  })
  const [request] = receiver.received
  expect(request).toMatchObject({ method: 'POST', path: '/companion?of=study' })
  if (!request) throw new Error('Nothing was received')
  expect(verified(body.secret, request)).toEqual({
    type: 'webhook.verify',
    timestamp: expect.any(String),
    data: { challenge: expect.stringMatching(/^[\w-]{43}$/) },
  })
  expect(JSON.stringify((await webhooks(server, tokens.own).list()).body)).not.toContain(body.secret)
})

test.each<[string, string, (response: ServerResponse, challenge: string) => void]>([
  ['another challenge', 'challenge differs', (response) => void response.end('{"challenge":"x"}')],
  ['no JSON', 'challenge differs', (response, challenge) => void response.end(challenge)],
  ['too much', 'challenge differs', (response) => void response.end('x'.repeat(1_000_000))],
  [
    'an error',
    'status 500',
    (response, challenge) => void response.writeHead(500).end(JSON.stringify({ challenge })),
  ],
  [
    'a redirect',
    'status 302',
    (response, challenge) =>
      void response.writeHead(302, { location: '/elsewhere' }).end(JSON.stringify({ challenge })),
  ],
  ['a closed connection', 'no connection', (response) => void response.destroy()],
])('a receiver that answers %s is refused, and why is said: %s', async (_what, reason, verify) => {
  const receiver = await startReceiver()
  receiver.verify = verify
  expect(failedFor(await create(receiver.url))).toBe(reason)
  expect(receiver.received).toHaveLength(1)
  expect((await webhooks(server, tokens.own).list()).body).toEqual([])
})

test('nobody there is refused', async () => {
  expect(failedFor(await create(`http://127.0.0.1:${await closedPort()}`))).toBe('no connection')
})

test.each([
  ['http://example.com/', 'must start with https:// unless it leads to this machine'],
  ['http://10.0.0.1/', 'must start with https:// unless it leads to this machine'],
  ['ftp://example.com/', 'must be a URL that starts with https://'],
  ['https://user:password@127.0.0.1/', 'must not hold a password'],
  ['not a URL', 'must be a URL'],
])('%s is no address for a webhook', async (url, msg) => {
  // Asks no DNS server: the address stands in the URL.
  const { status, body } = await create(url.replace('example.com', '192.0.2.1'))
  expect(status).toBe(422)
  expect(body.detail).toMatchObject([{ loc: ['body', 'url'], msg }])
})

test('at most five, also of many at once', async () => {
  const receiver = await startReceiver()
  const responses = await Promise.all(Array.from({ length: 8 }, (_, n) => create(`${receiver.url}/${n}`)))
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(5)
  expect(responses.filter(({ status }) => status === 409)).toHaveLength(3)
  const asked = receiver.received.length
  expect(await create(receiver.url)).toMatchObject({ status: 409, body: { detail: 'Too many webhooks' } })
  // It is refused without asking the receiver.
  expect(receiver.received).toHaveLength(asked)
})

test('one for each address, also of several at once', async () => {
  const receiver = await startReceiver()
  const responses = await Promise.all(Array.from({ length: 3 }, () => create(receiver.url)))
  expect(tally(responses)).toEqual({ 200: 1, '409 Already registered webhook': 2 })
  const asked = receiver.received.length
  expect(await create(receiver.url)).toMatchObject({
    status: 409,
    body: { detail: 'Already registered webhook' },
  })
  expect(receiver.received).toHaveLength(asked)
  expect((await webhooks(server, tokens.own).list()).body).toHaveLength(1)
  // Another service may have the same.
  const other = await serviceFor(server, parent, [child])
  expect((await create(receiver.url, other.own)).status).toBe(200)
})

test('an address as long as may be', async () => {
  const { url } = await startReceiver()
  // Longer in bytes than an entry of an index may be.
  const letters = Array.from({ length: 999 - url.length }, (_, n) =>
    String.fromCodePoint(0xac00 + ((n * 7919) % 11_000)),
  )
  const long = `${url}/${letters.join('')}`
  expect((await create(long)).status).toBe(200)
  expect((await create(long)).status).toBe(409)
})

test('is for services with a token of their own alone', async () => {
  const { url } = await startReceiver()
  for (const token of [tokens.granted, parent.token])
    for (const call of [
      create(url, token),
      webhooks(server, token).list(),
      webhooks(server, token).delete(1),
      webhooks(server, token).rotate(1),
      webhooks(server, token).enable(1),
      webhooks(server, token).ping(1),
    ])
      expect(await call).toMatchObject({ status: 403, body: { detail: 'Insufficient scope' } })
})
