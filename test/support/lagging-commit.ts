import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'

type Step = 'COMMIT PREPARED' | 'PREPARE TRANSACTION'

export interface LaggingCommit {
  port: number
  /**
   * From now on each COMMIT PREPARED (or the other step) arrives so much later, and what its connection says after it. With
   * `Infinity` it is held until the next call, which lets go what is held.
   */
  lag: (milliseconds: number, step?: Step) => void
  /** How many of them are held now. */
  held: () => number
  close: () => Promise<void>
}

/** The first message has no type, unlike all others, unless it asks for encryption first. */
const ENCRYPTION_REQUESTS = new Set([80_877_103, 80_877_104])

/**
 * Starts a TCP proxy before a PostgreSQL that delays the second step of a two-phase commit: what a transaction has written
 * there is not seen yet, although it counts as ended where it was begun. Everything else passes at once.
 */
export async function startLaggingCommit(port: number): Promise<LaggingCommit> {
  const sockets = new Set<Socket>()
  const held = new Set<() => void>()
  let milliseconds = 0
  let lagging: Step = 'COMMIT PREPARED'
  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = Number.isFinite(milliseconds) ? setTimeout(pass, milliseconds) : undefined
      function pass() {
        clearTimeout(timer)
        held.delete(pass)
        resolve()
      }
      held.add(pass)
    })
  const passOn = async (client: Socket, target: Socket) => {
    const messages = splitMessages()
    for await (const bytes of client)
      for (const message of messages(bytes)) {
        if (milliseconds > 0 && isOf(lagging, message)) await pause()
        target.write(message)
      }
  }
  const server = createServer((client) => {
    const target = connect(port, '127.0.0.1')
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(socket.setNoDelay())
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    target.on('data', (bytes) => client.write(bytes))
    passOn(client, target).catch(() => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    lag(next, step = 'COMMIT PREPARED') {
      milliseconds = next
      lagging = step
      for (const pass of held) pass()
    },
    held: () => held.size,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Returns a function that takes what a client of PostgreSQL sends, piece by piece, and returns the messages that are complete. */
function splitMessages(): (bytes: Buffer) => Buffer[] {
  let rest: Buffer = Buffer.alloc(0)
  let typeBytes = 0
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    const messages: Buffer[] = []
    while (rest.length >= typeBytes + 4) {
      const length = typeBytes + rest.readInt32BE(typeBytes)
      if (rest.length < length) break
      const message = rest.subarray(0, length)
      rest = rest.subarray(length)
      if (typeBytes === 0 && !ENCRYPTION_REQUESTS.has(message.readInt32BE(4))) typeBytes = 1
      messages.push(message)
    }
    return messages
  }
}

const QUERY = 'Q'.charCodeAt(0)

const isOf = (step: Step, message: Buffer) => message[0] === QUERY && message.includes(step)
