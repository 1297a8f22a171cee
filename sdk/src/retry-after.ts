import { readProperty } from './errors.ts'

/** Longest pause in milliseconds: a nonsensical header of a proxy must not stop anything for a day. */
const LONGEST_MS = 3_600_000

/** Milliseconds that the `Retry-After` of a 429 or 503 asks for: given in seconds or as a date (RFC 9110, 10.2.3). */
export function parseRetryAfterMs({
  status,
  headers,
}: {
  status: number
  headers: Pick<Headers, 'get'>
}): number | undefined {
  if (status !== 429 && status !== 503) return undefined
  const text = headers.get('retry-after')?.trim()
  if (!text) return undefined
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return wait >= 0 ? Math.min(wait, LONGEST_MS) : undefined
}

/** The same for the response of a failed call, whether the service or a proxy sent it. */
export function retryAfterMsOfError(error: unknown): number | undefined {
  const source = readProperty(readProperty(error, 'meta'), 'response') ?? readProperty(error, 'cause')
  const wait = readProperty(source, 'retryAfter')
  return typeof wait === 'number' ? wait : undefined
}
