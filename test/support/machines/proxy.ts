import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'

export interface Proxy {
  url: string
  /** `open` passes all data on; `refused` cuts old and new connections; `silent` passes no data on. */
  become: (state: 'open' | 'refused' | 'silent') => void
  /** New connections go to the server of this URL instead. */
  leadTo: (url: string) => void
  /** How much has been said that is not passed on, because it is silent. */
  heldBack: () => number
  close: () => Promise<void>
}

/**
 * Starts a TCP proxy before the server of `url`, in the place of the network. `endsHere` decides for each piece of an
 * answer, which it may change too, whether the connection ends there, in the middle of the response.
 */
export async function startProxy(
  url: string,
  endsHere: (bytes: Buffer) => boolean = () => false,
): Promise<Proxy> {
  let target = new URL(url)
  const sockets = new Set<Socket>()
  const held: (() => void)[] = []
  let state: 'open' | 'refused' | 'silent' = 'open'
  const passOn = (act: () => void) => {
    if (state === 'silent') held.push(act)
    else act()
  }
  const server = createServer((near) => {
    if (state === 'refused') {
      near.destroy()
      return
    }
    const far = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('data', (bytes) =>
        passOn(() => {
          // A write behind the end would destroy the connection, with what it has not sent yet.
          if (other.writableEnded) return
          if (socket === near || !endsHere(bytes)) other.write(bytes)
          else other.end(bytes.subarray(0, bytes.length / 2))
        }),
      )
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        passOn(() => other.destroy())
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const proxied = new URL(url)
  proxied.port = String(typeof address === 'object' ? address?.port : '')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: proxied.href,
    become(next) {
      state = next
      if (state === 'refused') cut()
      if (state !== 'silent') for (const act of held.splice(0)) act()
    },
    leadTo: (other) => void (target = new URL(other)),
    heldBack: () => held.length,
    async close() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
