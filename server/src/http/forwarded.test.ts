import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import express from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { forwarded } from './forwarded.ts'

/** Returns the address that Express and this service read, and the origin of this service, from a request with `headers`. */
async function read(
  trustProxy: number | string[] | false,
  headers: Record<string, string | string[]>,
  publicUrl?: string,
) {
  const { addressOf, originOf } = forwarded({ publicUrl, host: '127.0.0.1', trustProxy })
  const app = express().set('trust proxy', trustProxy)
  app.use((request, response) => {
    response.json({ express: request.ip, address: addressOf(request), origin: originOf(request) })
  })
  const server = app.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const sent = httpRequest({ port, host: '127.0.0.1', headers: { host: 'here', ...headers } }).end()
  const [reply] = await once(sent, 'response')
  const { origin, ...rest } = JSON.parse(String(await reply.toArray()))
  return { ...rest, origin: String(origin).replace(`:${port}`, ':port') }
}

const trusted: [trustProxy: number | string[] | false][] = [
  [false],
  [1],
  [2],
  [['loopback']],
  [['10.0.0.0/8', '127.0.0.1']],
  [['192.0.2.1']],
]

const requests: Record<string, string | string[]>[] = [
  {},
  { 'x-forwarded-for': '198.51.100.7' },
  { 'x-forwarded-for': '203.0.113.9, 198.51.100.7, 10.0.0.3' },
  { 'x-forwarded-for': ['203.0.113.9', '198.51.100.7'] },
  { 'x-forwarded-for': 'nonsense' },
  { 'x-forwarded-for': '' },
  { 'x-forwarded-for': '2001:db8::7, ::1' },
]

test.each(trusted)('with %j for TRUST_PROXY the address is read as Express reads it', async (trustProxy) => {
  for (const headers of requests) {
    const { express: expected, address } = await read(trustProxy, headers)
    expect({ headers, address }).toEqual({ headers, address: expected })
  }
})

test('without a trusted proxy no caller can say who it is; behind one, the proxy does', async () => {
  const claims = { 'x-forwarded-for': '198.51.100.7' }
  expect((await read(false, claims)).address).toBe('127.0.0.1')
  expect((await read(1, claims)).address).toBe('198.51.100.7')
})

test.each<[trustProxy: number | false]>([[false], [1]])(
  'with %j for TRUST_PROXY nobody says where the service is',
  async (trustProxy) => {
    const claims = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example;proto=https',
    }
    expect((await read(trustProxy, claims)).origin).toBe('http://127.0.0.1:port')
    expect((await read(trustProxy, claims, 'https://api.example.com')).origin).toBe('https://api.example.com')
  },
)
