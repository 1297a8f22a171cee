import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Server } from 'node:net'
import { ConfigurationError } from '../../config/config.ts'

/**
 * Lets `server` listen where the configuration says; resolves to the port. Throws a `ConfigurationError` that names the
 * variable to set if this address cannot be had.
 */
export async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  }).catch((error: NodeJS.ErrnoException) => {
    const advice = advices[error.code ?? '']
    throw advice ? new ConfigurationError(advice(host, port), { cause: error }) : error
  })
  const address = server.address()
  return typeof address === 'object' && address ? address.port : port
}

/** Throws as `listen` does, so that nothing else is begun where the address cannot be had. */
export async function assertFree(address: { host: string; port: number }): Promise<void> {
  const server = createServer()
  await listen(server, address)
  server.close()
  await once(server, 'close')
}

const unknownHost = (host: string) =>
  `This machine has no address ${host}: set HOST to one that it has, such as 127.0.0.1 or 0.0.0.0`

const advices: Partial<Record<string, (host: string, port: number) => string>> = {
  EADDRINUSE: (host, port) =>
    `Port ${port} of ${host} is in use, perhaps by another Companion: set PORT to a free one, such as PORT=${port + 1}`,
  EACCES: (_host, port) =>
    `Only an administrator may listen on port ${port}: set PORT to one from 1024 on, such as PORT=3000`,
  EADDRNOTAVAIL: unknownHost,
  ENOTFOUND: unknownHost,
}
