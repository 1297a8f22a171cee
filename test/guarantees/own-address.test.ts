import { createServer, request as send } from 'node:http'
import { beforeAll, expect, test } from 'vitest'
import { createClient } from '../support/client.ts'
import type { Client } from '../support/client.ts'
import { goodCalls } from '../support/good-calls.ts'
import { useOpenIdProvider } from '../support/outside/openid.ts'
import { useServer } from '../support/server.ts'
import type { TestServer } from '../support/server.ts'

/* Where the service is, it knows by itself: no response and no message repeats what a caller or a proxy says of it. */

const CLAIMED = 'forged.example'
const claims = {
  host: CLAIMED,
  'x-forwarded-host': CLAIMED,
  'x-forwarded-proto': 'https',
  'x-original-host': CLAIMED,
  forwarded: `host=${CLAIMED};proto=https`,
}

const provider = useOpenIdProvider()
const server = useServer(() => ({ SOCIAL_PROVIDERS: provider.configuration, TRUST_PROXY: '1' }))

/** A proxy that claims in each request that the service is elsewhere: `fetch` does not let its caller set `Host`. */
let claiming: Client
beforeAll(async () => {
  const proxy = createServer((request, response) => {
    const { method, url: path, headers } = request
    const onward = send(server.url, { method, path, headers: { ...headers, ...claims } }, (reply) => {
      response.writeHead(reply.statusCode ?? 0, reply.headers)
      reply.pipe(response)
    })
    request.pipe(onward)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  claiming = createClient(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
  return () => void proxy.close()
})

/** Whether a response repeats the claim. */
const says = (headers: Headers, body: unknown) => JSON.stringify([[...headers], body]).includes(CLAIMED)

const isMethod = (key: string | symbol): key is keyof Client =>
  ['get', 'post', 'patch', 'put', 'delete'].some((each) => each === key)

test('no operation, no page and no message says where a header claims the service to be', async () => {
  const reached: TestServer = new Proxy(server, {
    get: (target, key) => (isMethod(key) ? claiming[key] : Reflect.get(target, key)),
  })
  for (const [name, call] of await goodCalls(reached, provider)) {
    const { status, headers, body } = await call()
    expect([name, status]).toEqual([name, 200])
    expect([name, says(headers, body)]).toEqual([name, false])
  }
  for (const path of [
    '/',
    '/docs',
    '/openapi.json',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource',
    '/oauth/jwks',
    '/invitation',
    '/reset-password',
    '/confirm-email',
    '/verify',
    '/nowhere',
  ]) {
    const { headers, body } = await claiming.get(path)
    expect([path, says(headers, body)]).toEqual([path, false])
  }
  const messages = await server.outbox()
  expect(messages.filter(({ link }) => link !== undefined).length).toBeGreaterThan(2)
  expect(JSON.stringify(messages)).not.toContain(CLAIMED)
})
