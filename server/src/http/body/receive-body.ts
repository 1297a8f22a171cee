import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { DamagedBody } from '../../errors/damaged-body.ts'
import { Failure } from '../../errors/failure.ts'
import { generic } from '../../errors/generic.ts'

/** The bytes that a body may unpack to: at least this number, and this number more for each byte that was sent. */
const UNPACKED_AT_LEAST = 500_000
const UNPACKED_PER_BYTE = 20
/** How much of a body that nobody wants is read so that its sender gets the response. */
const MOST_DROPPED = 50_000_000

const unpack = promisify(gunzip)

/** Whether a request may bring a body. One in chunks may still turn out to be empty. */
export const hasBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * Resolves to the bytes of a body, or to undefined if there are more than `most`, or than `admits` takes. The rest is read and dropped first: a
 * caller that sends everything before it reads would not get the response otherwise, nor would a proxy in between.
 */
export async function receiveBody(
  request: IncomingMessage,
  most: number,
  admits: (bytes: number) => boolean = () => true,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  let isRefused = false
  await read(request, (chunk) => {
    size += chunk.length
    isRefused ||= size > most || !admits(chunk.length)
    if (isRefused) chunks.length = 0
    else chunks.push(chunk)
  })
  return isRefused ? undefined : Buffer.concat(chunks)
}

/** Reads what has not been read of a body, up to a bound, and drops it. */
export const discardBody = async (request: IncomingMessage): Promise<void> => {
  if (!hasBody(request) || request.complete) return
  await read(request, () => {}).catch(() => undefined)
}

function read(request: IncomingMessage, take: (chunk: Buffer) => void): Promise<void> {
  if (!hasBody(request)) return Promise.resolve()
  return new Promise((resolve, reject) => {
    let size = 0
    const onData = (chunk: Buffer) => {
      size += chunk.length
      take(chunk)
      if (size > MOST_DROPPED) end(resolve)
    }
    const onEnd = () => end(resolve)
    const onGone = () => end(() => reject(damaged('The connection has ended before the body')))
    const end = (settle: () => void) => {
      request.pause().off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone)
      settle()
    }
    if (request.readableEnded) resolve()
    else if (request.destroyed) onGone()
    else request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone).resume()
  })
}

/** The codings of a body that the service knows (RFC 9110, 8.4.1). */
const codings: Partial<Record<string, 'none' | 'gzip'>> = {
  '': 'none',
  identity: 'none',
  gzip: 'gzip',
  'x-gzip': 'gzip',
}

/** How a body is packed; undefined if the service does not know the coding. */
export const contentCoding = ({ headers }: IncomingMessage): 'none' | 'gzip' | undefined =>
  codings[headers['content-encoding']?.trim().toLowerCase() ?? '']

/** Unpacks a body by gzip, on another thread. Rejects with 413 if it grows beyond `most` bytes, or beyond measure. */
export async function gunzipBody(bytes: Buffer, most: number): Promise<Buffer> {
  const maxOutputLength = Math.min(most, UNPACKED_AT_LEAST + UNPACKED_PER_BYTE * bytes.length)
  return unpack(bytes, { maxOutputLength }).catch((error: unknown) => {
    if (error instanceof RangeError) throw new Failure(...generic.tooLarge, { cause: error })
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
    throw isGzip ? damaged('The packed body is damaged') : new Failure(...generic.brokenJson)
  })
}

const damaged = (message: string) => new Failure(...generic.brokenJson, { cause: new DamagedBody(message) })
