import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'

export interface LaggingCommit {
  port: number
  /**
   * From now on each COMMIT PREPARED arrives later by this time, and what its connection says after it. With `Infinity` it is
   * held until the next call, which lets go what is held.
   */
  lag: (milliseconds: number) => void
  /** How many of them are held now. */
  held: () => number
  /**
   * From now on nobody hears what the server answers to a COMMIT or to a promise to commit, which it does. These connections stay
   * deaf until they are lost.
   */
  deafen: (isDeaf: boolean) => void
  /** Ends the connections that are deaf. */
  lose: () => void
  /** How many such responses were not heard. */
  unheard: () => number
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
  let isDeaf = false
  let unheard = 0
  const deaf = new Set<Socket>()
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
        if (milliseconds > 0 && isCommitPrepared(message)) await pause()
        if (isDeaf && isEnd(message)) deaf.add(client)
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
    target.on('data', (bytes) => {
      if (deaf.has(client)) unheard += 1
      else client.write(bytes)
    })
    passOn(client, target).catch(() => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    lag(next) {
      milliseconds = next
      for (const pass of held) pass()
    },
    held: () => held.size,
    deafen(next) {
      isDeaf = next
    },
    lose() {
      for (const client of deaf) client.destroy()
      deaf.clear()
    },
    unheard: () => unheard,
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

const isCommitPrepared = (message: Buffer) => message[0] === QUERY && message.includes('COMMIT PREPARED')

const isEnd = (message: Buffer) =>
  message[0] === QUERY && /^(COMMIT|PREPARE TRANSACTION '.*')\0$/.test(message.toString('latin1', 5))
