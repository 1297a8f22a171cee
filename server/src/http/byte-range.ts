import type { IncomingHttpHeaders } from 'node:http'

/** Bytes of a file, both included. */
export interface ByteRange {
  first: number
  last: number
}

/**
 * The range that a request asks for of a file (RFC 9110, section 14): undefined for the whole file, which is also the answer to several
 * ranges, another unit and a changed file (`If-Range`); `beyond` when it begins after the end.
 */
export function requestedRange(
  { range, 'if-range': condition }: IncomingHttpHeaders,
  size: number,
  etag: string,
): ByteRange | 'beyond' | undefined {
  const [, from = '', to = ''] = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/.exec(range ?? '') ?? []
  if ((from === '' && to === '') || (condition !== undefined && condition !== etag)) return undefined
  if (from === '')
    return to === '0' || Number(to) === 0
      ? 'beyond'
      : { first: Math.max(0, size - Number(to)), last: size - 1 }
  if (to !== '' && Number(to) < Number(from)) return undefined
  if (Number(from) >= size) return 'beyond'
  return { first: Number(from), last: to === '' ? size - 1 : Math.min(Number(to), size - 1) }
}
