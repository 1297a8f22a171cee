import { Failure } from '../errors/failure.ts'
import { requestedRange } from '../http/byte-range.ts'
import type { Context } from '../http/context.ts'
import type { HeaderField } from '../http/endpoint.ts'
import { FileResponse } from '../http/file-response.ts'
import { assertMayLoad, noteLoad } from './offer.ts'
import type { OfferedFirmware } from './offer.ts'

export const rangeNotSatisfiable = [
  416,
  'Range is not satisfiable',
  'the range begins after the end',
] as const
export const notOffered = [404, 'Firmware not found', 'the device is not offered this firmware'] as const
export const tooManyLoads = [
  429,
  'Too many requests',
  'the device has loaded this firmware whole five times within 24 hours',
] as const

/** The parts of an operation that answers an image. */
export const imageOperation = {
  file: 'application/octet-stream',
  responseHeaders: ['ETag', 'Accept-Ranges'],
  otherSuccesses: { 206: 'The bytes that `Range` asked for' },
} as const

export const rangeRequestHeaders: Record<string, HeaderField> = {
  Range: {
    description:
      'One range of bytes (RFC 9110), such as `bytes=65536-`: a load that was cut goes on. Several ranges are answered by the whole file.',
    pattern: String.raw`^bytes=\d{0,15}-\d{0,15}$`,
    examples: ['bytes=65536-'],
  },
  'If-Range': {
    description: 'The `ETag` of the part that is there already: another file is sent whole.',
    maxLength: 80,
  },
}

/** The image, or the part of it that was asked for. A response that has reached the end of the image counts as a whole load, with those that go on where it was cut. */
export async function imageResponse(
  { database, firmwareFiles, request, log }: Context,
  deviceId: number,
  firmware: OfferedFirmware,
): Promise<FileResponse> {
  const { firmware_id, size, sha256 } = firmware
  const etag = `"${sha256.toString('hex')}"`
  const range = requestedRange(request.headers, size, etag)
  if (range === 'beyond')
    throw new Failure(416, 'Range is not satisfiable', { headers: { 'content-range': `bytes */${size}` } })
  const { first, last } = range ?? { first: 0, last: size - 1 }
  assertMayLoad(firmware, first)
  const image = await firmwareFiles.open(firmware)
  let sent = 0
  return new FileResponse({
    name: `firmware-${firmware_id}.bin`,
    size: last - first + 1,
    status: range ? 206 : 200,
    headers: {
      etag,
      'accept-ranges': 'bytes',
      ...(range ? { 'content-range': `bytes ${first}-${last}/${size}` } : {}),
    },
    async *bytes(most) {
      for await (const piece of image.bytes(first, last)) {
        // A short piece is still waiting to be sent when the next one is read into the same buffer.
        yield piece.length < most ? Uint8Array.from(piece) : piece
        sent += piece.length
      }
    },
    async discard(isSent) {
      await image.close()
      const isToEnd = isSent && last === size - 1 && sent === last - first + 1
      // HEAD sends none of it.
      if (sent === 0) return
      await noteLoad(database, deviceId, firmware, { first, isToEnd }).catch((error: unknown) =>
        log.error({ err: error, firmware_id }, 'load of a firmware not counted'),
      )
    },
  })
}
