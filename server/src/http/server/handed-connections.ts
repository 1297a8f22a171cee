import type { Worker } from 'node:cluster'
import type { Server } from 'node:http'
import { createServer, Socket } from 'node:net'
import { closeListener } from './close-listener.ts'
import { listen } from './listen.ts'

/* How workers share a port: the primary listens and hands each connection to a worker that is free to take it. */

/** Says a worker that it takes a connection. */
const FREE = 'free for a connection'
/** Comes to it with one. */
const CONNECTION = 'connection'
const MOST_WAITING = 10_000

export interface SharedPort {
  port: number
  /** Gives connections to `worker` from when it is free until it exits. */
  share: (worker: Worker) => void
  /** Takes no new connections. Resolves when a worker has each one that was taken. */
  close: () => Promise<void>
}

/**
 * Listens in the primary. The cluster module would do so too, but at a stop it resets the connections that wait for a
 * worker, and those that it has sent to a worker which does not listen any more.
 */
export async function listenForWorkers(address: { host: string; port: number }): Promise<SharedPort> {
  const waiting: Socket[] = []
  const workers = new Set<Worker>()
  const free = new Set<Worker>()
  const taking = new Set<Worker>()
  let isClosing = false
  const allTaken = Promise.withResolvers<void>()

  function give(): void {
    for (const worker of free) {
      const socket = waiting.shift()
      if (!socket) break
      free.delete(worker)
      taking.add(worker)
      // If it cannot be sent, the worker is gone: the next one gets it.
      worker.send(CONNECTION, socket, (error) => {
        if (error) wait(socket)
      })
    }
    if (!isClosing) return
    if (workers.size === 0) for (const socket of waiting.splice(0)) socket.destroy()
    if (waiting.length === 0 && taking.size === 0) allTaken.resolve()
  }
  function wait(socket: Socket): void {
    waiting.push(socket)
    give()
  }

  // Nobody reads of a connection before its worker does.
  const listener = createServer({ pauseOnConnect: true, noDelay: true }, wait)
  listener.maxConnections = MOST_WAITING
  return {
    port: await listen(listener, address),
    share(worker) {
      workers.add(worker)
      worker.on('message', (message) => {
        if (message !== FREE) return
        taking.delete(worker)
        free.add(worker)
        give()
      })
      worker.once('exit', () => {
        for (const those of [workers, free, taking]) those.delete(worker)
        give()
      })
    },
    async close() {
      await closeListener(listener)
      isClosing = true
      give()
      await allTaken.promise
    },
  }
}

/**
 * Lets `server` answer the connections that the primary hands to this worker. The returned function resolves when all of
 * them are closed; the primary hands over no more before it tells a worker to stop.
 */
export function acceptHandedConnections(server: Server): () => Promise<void> {
  const open = new Set<Socket>()
  let onEmpty: (() => void) | undefined
  process.on('message', (message, socket) => {
    if (message !== CONNECTION) return
    process.send?.(FREE)
    // It may have been closed on its way.
    if (!(socket instanceof Socket)) return
    if (open.size >= server.maxConnections) {
      socket.destroy()
      return
    }
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      if (open.size === 0) onEmpty?.()
    })
    // As it is for connections that the server has accepted itself: who has sent everything may still read the response.
    socket.allowHalfOpen = true
    server.emit('connection', socket)
  })
  // With this, a server begins to keep the time limits of its connections.
  server.emit('listening')
  process.send?.(FREE)
  return () =>
    new Promise((resolve) => {
      onEmpty = resolve
      if (open.size === 0) resolve()
    })
}
