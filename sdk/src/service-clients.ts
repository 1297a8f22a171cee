import { callLink } from './call-link.ts'
import type { OnCall, SendAuthorized } from './call-link.ts'
import { clientHeader } from './client-header.ts'
import type { Downloader } from './download.ts'
import { fileLink } from './file-link.ts'
import { rawClient } from './raw-client.ts'
import { transport } from './transport.ts'
import type { Fetch } from './transport.ts'
import { validateTimeout } from './time-limit.ts'

export interface CommonClientOptions {
  /** Address of the service, such as `https://companion.example.com`. Each address has its own session. */
  baseUrl: string
  /** Used instead of the global `fetch`. */
  fetch?: Fetch | undefined
  /** Time limit of a whole call in milliseconds; default 30,000. */
  timeout?: number | undefined
  /** How often a call is tried again when no response came or the service is busy (429, 503); default 2. */
  retries?: number | undefined
  /** Called with each call that has ended, for logs and metrics. */
  onCall?: OnCall | undefined
  /** Name and version of the app, such as `my-app/1.2`, for the log of the service. */
  client?: string | undefined
}

/** What every client begins with: the service at an address, and clients of it that differ in the tokens of their calls. */
export function createClientFactory(options: CommonClientOptions, download: Downloader) {
  if (!/^https?:\/\/[^\s?#]+$/i.test(options.baseUrl))
    throw new TypeError('baseUrl must be an http or https address')
  const baseUrl = options.baseUrl.replace(/\/+$/, '')
  const { fetch, retries = 2, onCall } = options
  const timeout = validateTimeout(options.timeout ?? 30_000)
  const headers = clientHeader(options.client)
  const send = transport(baseUrl, fetch)
  const clientOf = (perform: SendAuthorized) =>
    rawClient([
      callLink(perform, { timeout, retries, headers, onCall }),
      fileLink(baseUrl, fetch, download),
      send,
    ])
  return { baseUrl, timeout, headers, send, clientOf }
}
