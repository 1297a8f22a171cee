import { webcrypto } from 'node:crypto'
import { createCompanion, CursorLost, safe } from '@companion/sdk'
import { clientCredentials, OAuthError, refreshTokens } from '@companion/sdk/oauth'
import { verifyWebhook, WebhookVerificationError } from '@companion/sdk/webhooks'
import { Webhook as Svix } from 'svix'
import { Webhook } from 'standardwebhooks'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { settled } from '../support/changes.ts'
import { addChild, devlogItem, signUp, upload } from '../support/family.ts'
import type { Account } from '../support/family.ts'
import { addService, granted } from '../support/oauth.ts'
import { startReceiver } from '../support/outside/receiver.ts'
import { useServer } from '../support/server.ts'
import { until } from '../support/until.ts'

/* A back end on the SDK: its tokens, its webhook and what it follows. */

const server = useServer()
const scopes = ['child:read', 'usage:read']

let parent: Account
let child: Awaited<ReturnType<typeof addChild>>
beforeEach(async () => {
  parent = await signUp(server)
  child = await addChild(server, parent.token)
})

async function backEnd() {
  const request = { scope: scopes.join(' '), children: [child.real_user_id] }
  const { service } = await granted(server, parent, request)
  const asked: string[] = []
  const accessToken = clientCredentials({
    baseUrl: server.url,
    clientId: service.client_id,
    clientSecret: service.client_secret ?? '',
    scopes,
    fetch: (url, init) => {
      asked.push(new Request(url).url)
      return fetch(url, init)
    },
  })
  return { asked, service, companion: createCompanion({ baseUrl: server.url, accessToken }) }
}

let nights = 0
const store = () => {
  nights += 1
  return upload(server, [devlogItem(child.unique_id, '2026-03-01T21:00:00', { log_file_id: nights })])
}

test('runs over five lives of its tokens, whoever finds them expired, without a call that fails', async () => {
  const { asked, companion, service } = await backEnd()
  onTestFinished(() => void vi.useRealTimers())
  for (let minutes = 0; minutes < 75; minutes += 4) {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 4 * 60_000 })
    const responses = await Promise.all([1, 2, 3].map(() => companion.children.list()))
    expect(responses.map(([first]) => first?.id)).toEqual([1, 2, 3].map(() => child.real_user_id))
  }
  expect(asked.length).toBeLessThan(8)
  // The service alone finds it expired, or does not know it any more: for all who call together one asks again.
  const before = asked.length
  const ofService = `payload ->> 'clientId' = $1`
  for (const change of [
    `UPDATE oauth_state SET expires_at = now() - interval '1 hour'`,
    'DELETE FROM oauth_state',
  ]) {
    await server.database.pool.query(`${change} WHERE ${ofService}`, [service.client_id])
    await Promise.all([1, 2, 3].map(() => companion.children.list()))
  }
  expect(asked).toHaveLength(before + 2)
})

test.each([
  ['ES256', { name: 'ECDSA', namedCurve: 'P-256' }],
  ['ES384', { name: 'ECDSA', namedCurve: 'P-384' }],
  ['EdDSA', { name: 'Ed25519' }],
  [
    'RS256',
    {
      name: 'RSASSA-PKCS1-v1_5',
      hash: 'SHA-256',
      modulusLength: 2048,
      publicExponent: new Uint8Array([1, 0, 1]),
    },
  ],
  [
    'PS256',
    { name: 'RSA-PSS', hash: 'SHA-256', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
  ],
])('a service may sign who it is by a key of its own (%s)', async (alg, kind) => {
  const made = await webcrypto.subtle.generateKey(kind, true, ['sign', 'verify'])
  if (!('privateKey' in made)) throw new Error('One key alone')
  const [publicKey, privateKey] = await Promise.all(
    [made.publicKey, made.privateKey].map((key) => webcrypto.subtle.exportKey('jwk', key)),
  )
  const { client_id } = await addService(server, {
    jwks: { keys: [{ ...publicKey, alg, kid: 'one', use: 'sig' }] },
  })
  const { key_ops: _operations, ext: _extractable, oth: _other, ...key } = privateKey ?? {}
  const accessToken = clientCredentials({
    baseUrl: `${server.url}/`,
    clientId: client_id,
    privateKey: { ...key, kty: key.kty ?? '', kid: 'one' },
    scopes,
  })
  expect(await createCompanion({ baseUrl: server.url, accessToken }).children.list()).toEqual([])
})

test('what the token endpoint refuses is told in its words, and not asked again', async () => {
  const { client_id: clientId } = await addService(server)
  const asked: unknown[] = []
  const accessToken = clientCredentials({
    baseUrl: server.url,
    clientId,
    clientSecret: 'another',
    scopes,
    fetch: (url, init) => {
      asked.push(url)
      return fetch(url, init)
    },
  })
  const error = await accessToken({ expired: false }).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(OAuthError)
  expect(error).toMatchObject({
    code: 'invalid_client',
    status: 401,
    message: expect.stringContaining('HTTP Basic (client_secret_basic)'),
  })
  expect(asked).toHaveLength(1)
  const [, failed] = await safe(createCompanion({ baseUrl: server.url, accessToken }).children.list())
  expect(failed?.cause).toMatchObject({ name: 'OAuthError' })
})

test('a chain of refresh tokens goes on from what was kept, and none is used before the next is', async () => {
  const { tokens, service } = await granted(server, parent, {
    scope: `${scopes.join(' ')} offline_access`,
    children: [child.real_user_id],
  })
  const kept: string[] = []
  let isFull = true
  const open = (refreshToken: string) =>
    createCompanion({
      baseUrl: server.url,
      accessToken: refreshTokens({
        baseUrl: server.url,
        clientId: service.client_id,
        clientSecret: service.client_secret,
        refreshToken,
        async save(token) {
          if (isFull) throw new Error('Disk is full')
          kept.push(token)
        },
      }),
    })
  const first = open(tokens.refresh_token ?? '')
  await expect(first.children.list()).rejects.toThrow('Disk is full')
  isFull = false
  const lists = await Promise.all([1, 2, 3].map(() => first.children.list()))
  expect(lists.map((list) => list.length)).toEqual([1, 1, 1])
  expect(kept).toHaveLength(1)
  expect(await open(kept[0] ?? '').children.list()).toHaveLength(1)
  expect(kept).toHaveLength(2)
})

test('all treatments of a child come one by one, page by page', async () => {
  const { companion } = await backEnd()
  for (let n = 0; n < 5; n += 1) await store()
  const input = {
    real_user_id: child.real_user_id,
    start_date: '2026-03-01',
    end_date: '2026-03-01',
    limit: 2,
  }
  const found: number[] = []
  for await (const { treatment_id } of companion.treatments.all(input)) found.push(treatment_id)
  const { items } = await companion.treatments.list({ ...input, limit: 100 })
  expect(found).toEqual(items.map(({ treatment_id }) => treatment_id))
  expect(found).toHaveLength(5)
  const some = companion.treatments.all(input)
  // Several that ask at once get one each.
  const together = await Promise.all([some.next(), some.next(), some.next()])
  expect(together.map(({ value }) => value?.treatment_id)).toEqual(found.slice(0, 3))
  await expect(companion.treatments.all({ real_user_id: 0 }).next()).rejects.toThrow('treatments.list: 401')
})

test('changes are followed from a cursor that is kept once the work with them is done', async () => {
  const { companion } = await backEnd()
  await settled(server)
  const { next: start } = await companion.changes.list({ after: 'latest' })
  const saved: string[] = []
  const stopping = new AbortController()
  await store()
  await store()
  await settled(server)
  const kinds: string[] = []
  for await (const change of companion.changes.follow({
    after: start,
    signal: stopping.signal,
    save: (cursor) => void saved.push(cursor),
  })) {
    kinds.push(change.kind)
    // Not before the work with both is done.
    expect(saved).toEqual([])
    if (kinds.length === 2) stopping.abort()
  }
  expect(kinds).toEqual(['treatment.stored', 'treatment.stored'])
  expect(saved).toHaveLength(1)
  expect((await companion.changes.list({ after: saved[0] })).items).toEqual([])

  // As the purge leaves it.
  await server.database.pool.query(
    'UPDATE feed SET purged_xact_id = (SELECT max(xact_id) FROM change), purged_id = (SELECT max(id) FROM change)',
  )
  await expect(companion.changes.follow({ after: start }).next()).rejects.toThrow(CursorLost)
})

test('a receiver verifies what came, as the libraries of Standard Webhooks and Svix do', async () => {
  const { companion } = await backEnd()
  const receiver = await startReceiver()
  const { secret, webhook_id } = await companion.webhooks.create({ url: receiver.url })
  await companion.webhooks.ping({ webhook_id })
  const request = await until(() => receiver.received[1])
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  )
  const event = await verifyWebhook(request.body, request.headers, secret)
  expect(event).toEqual(new Webhook(secret).verify(request.body, headers))
  expect(event).toEqual(new Svix(secret).verify(request.body, headers))
  expect(event.type === 'webhook.verify' && event.data.challenge).toMatch(/^[\w-]{43}$/)
  const other = `whsec_${Buffer.alloc(32).toString('base64')}`
  const bytes = new TextEncoder().encode(request.body)
  expect(await verifyWebhook(bytes, new Headers(headers), [other, secret])).toEqual(event)
  for (const [body, sent, secrets] of [
    [request.body, headers, other],
    [`${request.body} `, headers, secret],
    [request.body, { ...headers, 'webhook-id': 'another' }, secret],
    [
      request.body,
      { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 400) },
      secret,
    ],
    [request.body, {}, secret],
    [request.body, { ...headers, 'webhook-signature': 'v1,!' }, secret],
  ] as const)
    await expect(verifyWebhook(body, sent, secrets)).rejects.toThrow(WebhookVerificationError)
})
