import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import express from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { forwarded } from './forwarded.ts'

/** Returns the address and origin that Express and this service read from a request with `headers`. */
async function read(trustProxy: number | string[] | false, headers: Record<string, string | string[]>) {
  const { addressOf, originOf } = forwarded({ publicUrl: undefined, trustProxy })
  const app = express().set('trust proxy', trustProxy)
  app.use((request, response) => {
    const { ip, protocol, host } = request
    const here = { address: addressOf(request), origin: originOf(request) }
    response.json({ express: { address: ip, origin: `${protocol}://${host}` }, here })
  })
  const server = app.listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const sent = httpRequest({ port, host: '127.0.0.1', headers: { host: 'here', ...headers } }).end()
  const [answer] = await once(sent, 'response')
  return JSON.parse(String(await answer.toArray()))
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
  { 'x-forwarded-for': '2001:db8::7, ::1', 'x-forwarded-proto': 'https' },
  { 'x-forwarded-proto': 'https, http', 'x-forwarded-host': 'api.example.com, inner' },
  { 'x-forwarded-proto': '', 'x-forwarded-host': '' },
  { 'x-forwarded-host': 'api.example.com:8443' },
]

test.each(trusted)('with %j for TRUST_PROXY everything is read as Express reads it', async (trustProxy) => {
  for (const headers of requests) {
    const { express: expected, here } = await read(trustProxy, headers)
    expect({ headers, ...here }).toEqual({ headers, ...expected })
  }
})

test('without a trusted proxy no caller can say who it is; behind one, the proxy does', async () => {
  const claims = { 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'https' }
  expect((await read(false, claims)).here).toEqual({ address: '127.0.0.1', origin: 'http://here' })
  expect((await read(1, claims)).here).toEqual({ address: '198.51.100.7', origin: 'https://here' })
})
