import { Server } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'

/** Shorter than a client takes to connect and send a request. */
const SHORT_MS = 0.5
/** Clients that never stop connecting must not keep the port open. */
const MOST_TURNS = 200

/**
 * Takes no new connections on the port of `server`. The kernel resets those that wait in its queue by then, with the
 * requests that they bring, so this waits for a short turn of the event loop that found none. Resolves when the port is
 * closed. Open connections stay as they are; the `close` of `node:http` would end those on which a request may be on its
 * way.
 */
export async function closeListener(server: Server): Promise<void> {
  let accepted = 0
  const count = () => (accepted += 1)
  server.on('connection', count)
  // The first turn ends without a look at the queue.
  await turn()
  for (let turns = 0; turns < MOST_TURNS; turns += 1) {
    const [before, started] = [accepted, performance.now()]
    await turn()
    if (accepted === before && performance.now() - started < SHORT_MS) break
  }
  server.off('connection', count)
  Server.prototype.close.call(server)
}
