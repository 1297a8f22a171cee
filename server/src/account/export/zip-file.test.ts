import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { GrowingFile } from '../../http/growing-file.ts'
import { openUnnamedFile } from '../../http/unnamed-file.ts'
import { writeZip } from './zip-file.ts'

/* What fails closes its own file, once: the number of a file that is closed twice is by then that of another one. */

const FAILURES = 100
const BUSY = 8

test('a zip that fails takes no file and no connection from those who are busy beside it', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'companion-zip-'))
  const server = createServer((socket) => socket.pipe(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  onTestFinished(async () => {
    server.close()
    await rm(directory, { recursive: true, force: true })
  })
  const over = new AbortController()
  let rounds = 0

  /** Keeps a file open for a few turns, and finds in it what it has written there. */
  async function useFiles(name: string): Promise<void> {
    while (!over.signal.aborted) {
      const content = `${name} ${randomUUID()}\n`.repeat(50)
      const file = await open(join(directory, name), 'w+')
      await file.writeFile(content)
      const read = Buffer.alloc(content.length)
      await file.read(read, 0, content.length, 0)
      await file.close()
      expect(read.toString()).toBe(content)
      rounds += 1
    }
  }
  /** Keeps a connection open for a few turns, and gets back what it has sent. */
  async function useConnections(name: string): Promise<void> {
    while (!over.signal.aborted) {
      const content = `${name} ${randomUUID()}`
      const socket = connect(port, '127.0.0.1')
      socket.write(content)
      const [response] = await once(socket, 'data')
      expect(String(response)).toBe(content)
      socket.end()
      await once(socket, 'close')
      rounds += 1
    }
  }

  const busy = Promise.all(
    Array.from({ length: BUSY }, (_, n) => [useFiles(`file ${n}`), useConnections(`connection ${n}`)]).flat(),
  )
  const failing = async () => {
    try {
      for (let n = 0; n < FAILURES; n += 1) {
        const why = new Error(`failure ${n}`)
        const texts = async function* () {
          yield 'x'.repeat(100_000)
          await setTimeout(n % 3)
          throw why
        }
        // What went wrong first is told.
        const handle = await openUnnamedFile()
        const written = writeZip(new GrowingFile(handle), (add) => add('rows.json', texts()))
        await expect(written).rejects.toBe(why)
        await handle.close()
      }
    } finally {
      over.abort()
    }
  }
  await Promise.all([busy, failing()])
  expect(rounds).toBeGreaterThan(FAILURES)
})
