import { property } from './errors.ts'

/** A header of a proxy that is out of its mind must not hold anything up for a day. */
const LONGEST_MS = 3_600_000

/** Milliseconds for which a 429 or 503 asks not to be tried again: seconds, or a date (RFC 9110, 10.2.3). */
export function waitAskedBy({ status, headers }: Pick<Response, 'status' | 'headers'>): number | undefined {
  if (status !== 429 && status !== 503) return undefined
  const text = headers.get('retry-after')?.trim()
  if (!text) return undefined
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return wait >= 0 ? Math.min(wait, LONGEST_MS) : undefined
}

/** The same of the answer that a call failed with, be it of the service or of a proxy in its place. */
export function retryAfterOf(error: unknown): number | undefined {
  const source = property(property(error, 'meta'), 'response') ?? property(error, 'cause')
  const wait = property(source, 'retryAfter')
  return typeof wait === 'number' ? wait : undefined
}
