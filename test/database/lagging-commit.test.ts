import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { startLaggingCommit } from '../support/machines/lagging-commit.ts'
import { until } from '../support/until.ts'

/* The proxy of the tests that need a commit to come late. */

/** As libpq begins: it asks for encryption, then names the user. */
const opening = (code: number, rest = '') => {
  const bytes = Buffer.alloc(8 + rest.length)
  bytes.writeInt32BE(bytes.length)
  bytes.writeInt32BE(code, 4)
  bytes.write(rest, 8)
  return bytes
}
const message = (type: string, text: string) => {
  const bytes = Buffer.alloc(6 + text.length)
  bytes.write(type)
  bytes.writeInt32BE(bytes.length - 1, 1)
  bytes.write(text, 5)
  return bytes
}

const HELLO = [opening(80_877_103), opening(196_608, 'user\0postgres\0\0'), message('Q', 'BEGIN')]
const COMMIT = message('Q', `COMMIT PREPARED 'citus_0_1_2_3'`)
const BEHIND = message('Q', 'SELECT 1')

/** A server that says nothing, behind the proxy, and a client of it that sends its bytes one by one. */
async function start() {
  let received = Buffer.alloc(0)
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (bytes) => (received = Buffer.concat([received, bytes])))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const proxy = await startLaggingCommit(typeof address === 'object' ? (address?.port ?? 0) : 0)
  onTestFinished(async () => {
    await proxy.close()
    await new Promise((resolve) => server.close(resolve))
  })
  const client = connect(proxy.port, '127.0.0.1').setNoDelay()
  await once(client, 'connect')
  return {
    proxy,
    received: () => received.toString('latin1'),
    send: async (...messages: Buffer[]) => {
      for (const byte of Buffer.concat(messages))
        await new Promise((resolve) => client.write(Buffer.of(byte), resolve))
    },
  }
}

const said = (...messages: Buffer[]) => Buffer.concat(messages).toString('latin1')

test('a commit is held, and what its connection says after it, until it is let go', async () => {
  const { proxy, received, send } = await start()
  proxy.lag(Infinity)
  await send(...HELLO, COMMIT, BEHIND)
  await until(() => proxy.held())
  await expect.poll(received).toBe(said(...HELLO))
  proxy.lag(0)
  await expect.poll(received).toBe(said(...HELLO, COMMIT, BEHIND))
  expect(proxy.held()).toBe(0)
})

test('a commit that comes late comes by itself', async () => {
  const { proxy, received, send } = await start()
  proxy.lag(1000)
  await send(...HELLO, COMMIT, BEHIND)
  await until(() => proxy.held())
  await expect.poll(received).toBe(said(...HELLO, COMMIT, BEHIND))
})

test('nothing but commits is held, and no longer than it is asked for', async () => {
  const { proxy, received, send } = await start()
  proxy.lag(Infinity)
  const others = [message('d', "COMMIT PREPARED 'of a row'"), message('Q', "ROLLBACK PREPARED 'citus'")]
  await send(...HELLO, ...others)
  await expect.poll(received).toBe(said(...HELLO, ...others))
  proxy.lag(0)
  await send(COMMIT)
  await expect.poll(received).toBe(said(...HELLO, ...others, COMMIT))
})
