import { once } from 'node:events'
import net from 'node:net'
import { expect, test } from 'vitest'

import { cutConnection } from './cut-connection.ts'

test('a server that never reads holds nobody up', async () => {
  const server = net.createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const request = { url: new URL(`http://127.0.0.1:${port}/`), headers: {}, body: new Uint8Array(64_000_000) }
  expect(await cutConnection(request, 0.99, 200)).toBe(0)
  server.close()
})
