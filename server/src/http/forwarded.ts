import type { IncomingMessage } from 'node:http'
import proxyAddress from 'proxy-addr'
import type { Config } from '../config/config.ts'

/** Reads the caller's address and the service's public address from a request; only trusted proxies may set them. */
export interface Forwarded {
  /** The client's IP address. */
  addressOf: (request: IncomingMessage) => string
  /** Scheme and host of this service as the client knows them: `https://api.example.com`. */
  originOf: (request: IncomingMessage) => string
}

/** Trusts `X-Forwarded-For`, `-Proto` and `-Host` only of the proxies that `trustProxy` counts or lists. */
export function forwarded({ publicUrl, trustProxy }: Pick<Config, 'publicUrl' | 'trustProxy'>): Forwarded {
  const isTrusted = Array.isArray(trustProxy)
    ? proxyAddress.compile(trustProxy)
    : (_address: string, hops: number) => hops < Number(trustProxy)

  function firstOf(request: IncomingMessage, header: 'x-forwarded-proto' | 'x-forwarded-host') {
    if (!isTrusted(request.socket.remoteAddress ?? '', 0)) return undefined
    const [first = ''] = String(request.headers[header] ?? '').split(',')
    return first.trim() || undefined
  }

  return {
    addressOf: (request) =>
      (trustProxy ? proxyAddress(request, isTrusted) : request.socket.remoteAddress) ?? '',
    originOf(request) {
      if (publicUrl !== undefined) return publicUrl
      const host = firstOf(request, 'x-forwarded-host') ?? request.headers.host
      return `${firstOf(request, 'x-forwarded-proto') ?? 'http'}://${host}`
    },
  }
}
