import type { IncomingMessage } from 'node:http'
import proxyAddress from 'proxy-addr'
import type { Config } from '../config/config.ts'

/** The two ends of a request: the caller's address, which trusted proxies may tell, and the service's own, which nobody may. */
export interface Forwarded {
  /** The client's IP address. */
  addressOf: (request: IncomingMessage) => string
  /** The service's base URL: `PUBLIC_URL`, or else where it listens. No header of a request changes it. */
  originOf: (request: IncomingMessage) => string
}

/** Trusts `X-Forwarded-For` only of the proxies that `trustProxy` counts or lists. */
export function forwarded({
  publicUrl,
  host,
  trustProxy,
}: Pick<Config, 'publicUrl' | 'host' | 'trustProxy'>): Forwarded {
  const isTrusted = Array.isArray(trustProxy)
    ? proxyAddress.compile(trustProxy)
    : (_address: string, hops: number) => hops < Number(trustProxy)

  return {
    addressOf: (request) =>
      (trustProxy ? proxyAddress(request, isTrusted) : request.socket.remoteAddress) ?? '',
    originOf: ({ socket }) =>
      publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${socket.localPort}`,
  }
}
