import { gzipSync } from 'node:zlib'

import { readResponse } from './response.ts'
import type { DeviceResponse } from './response.ts'
import type { Misbehaviour } from './misbehaviour.ts'

/** An upload as an HTTP request. */
export interface WireRequest {
  url: URL
  headers: Record<string, string>
  body: Uint8Array<ArrayBuffer>
}

/** Makes the request that uploads items to the service at `serviceUrl`. */
export function makeRequest(
  serviceUrl: string,
  items: readonly unknown[],
  { gzip = false, lenient = false, firmware }: Pick<Misbehaviour, 'gzip' | 'lenient' | 'firmware'>,
): WireRequest {
  const text = Buffer.from(JSON.stringify(items))
  return {
    url: new URL(`${serviceUrl.replace(/\/+$/, '')}/api/v1/gamma/device/devlog`),
    headers: {
      'content-type': 'application/json',
      ...(gzip ? { 'content-encoding': 'gzip' } : {}),
      ...(firmware === undefined ? {} : { 'x-firmware': String(firmware) }),
      ...(lenient ? { prefer: 'handling=lenient' } : {}),
    },
    body: Uint8Array.from(gzip ? gzipSync(text) : text),
  }
}

/** Sends a request once. Never throws: if no response comes within `timeout` milliseconds, it resolves to `failed`. */
export async function send(
  request: WireRequest,
  timeout: number,
  fetch: typeof globalThis.fetch,
): Promise<DeviceResponse> {
  try {
    const response = await fetch(request.url, {
      method: 'POST',
      headers: request.headers,
      body: request.body,
      // Following a redirect would turn the upload into a GET, whose 200 would mean nothing.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeout),
    })
    const body = await response.text()
    const { status, headers } = response
    const [retryAfter, error] = [headers.get('retry-after'), headers.get('x-error')]
    return readResponse({ status, retryAfter, error, body }, new Date())
  } catch (error) {
    return { kind: 'failed', status: null, detail: networkIssue(error), retryAfter: null }
  }
}

function networkIssue(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (cause instanceof Error && 'code' in cause) return `${error.message}: ${String(cause.code)}`
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message
}
