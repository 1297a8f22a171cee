import { sha256 as hash } from '@noble/hashes/sha2.js'
import type { FileProgress, TokenCompanion } from '@companion/sdk'

/*
 * Loads firmware for a device in pieces, because React Native gives no file before its last byte: a load that was cut goes on
 * behind the last piece, also after the app was killed.
 */

/** Keeps the pieces of a load until it is whole, by their names: files in a folder of the app, for example. */
export interface FirmwarePieces {
  /** Resolves to the piece of that name; to undefined if none is kept. */
  read: (name: string) => Promise<Uint8Array | undefined>
  save: (name: string, bytes: Uint8Array) => Promise<unknown>
  /** Forgets a piece, whether it is kept or not. */
  remove: (name: string) => Promise<unknown>
}

/** What `companion.firmware.check` has answered as `update`, less what a load does not need. */
interface OfferedImage {
  firmware_id: number
  /** Bytes of the image. */
  size: number
  /** SHA-256 of the image, 64 lower-case hexadecimal digits. */
  sha256: string
}

interface Common extends OfferedImage {
  /** Where pieces are kept. Without it, a load that fails begins from the start the next time. */
  pieces?: FirmwarePieces | undefined
  /** Ends the load; `cause.name` of the error is then `AbortError`. */
  signal?: AbortSignal | undefined
  /** Called with the bytes that are there, of which some may have been kept from before. */
  onProgress?: ((progress: FileProgress) => unknown) | undefined
}

/** Loads by a client of `createCompanion`, with its session, its retries and its errors. */
interface ByCompanion extends Common {
  companion: Pick<TokenCompanion, 'trpc'>
  device_id: number
  fetch?: undefined
}

/** Loads by a request of your own, such as one of a client with a token alone. */
interface ByFetch extends Common {
  companion?: undefined
  /** Gets `GET /api/v1/beta/ota/file` of the device, with these headers and its access token. */
  fetch: (headers: Record<'range' | 'if-range', string>, signal: AbortSignal | undefined) => Promise<Response>
}

export type DownloadFirmwareOptions = ByCompanion | ByFetch

/**
 * Thrown where bytes have arrived that are not the image. `reason`:
 * - `changed`: another file is there than the one that was offered. Ask `companion.firmware.check` again.
 * - `hash`: all bytes are there, and are not those that were signed. What was kept is forgotten: the next load begins from the start.
 * - `refused`: a `fetch` of your own has got another status, which is `status`.
 */
export class FirmwareDownloadError extends Error {
  override readonly name = 'FirmwareDownloadError'
  readonly reason: 'changed' | 'hash' | 'refused'
  readonly status: number | undefined

  constructor(reason: FirmwareDownloadError['reason'], message: string, status?: number) {
    super(message)
    this.reason = reason
    this.status = status
  }
}

/** Bytes of a piece: a slow line brings it within the time limit of a call. */
const PIECE = 131_072

/** SHA-256 of bytes, as 64 lower-case hexadecimal digits. It needs no WebCrypto, which React Native lacks. */
export const sha256 = (bytes: Uint8Array): string => hexOf(hash(bytes))

const hexOf = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/**
 * Loads the firmware that a device is offered, and resolves to its image once its hash is right. After an error, call it again with the
 * same `pieces`: it goes on behind those that are there. One of the service is a `CompanionError` as of `companion.firmware.download`; 404
 * `Firmware not found` means that it is offered no more, and `isOffline` knows a line that was cut.
 *
 * @throws `FirmwareDownloadError` where the bytes are not the image
 */
export async function downloadFirmware(options: DownloadFirmwareOptions): Promise<Uint8Array> {
  const { size, sha256: expected, pieces, onProgress } = options
  const image = new Uint8Array(size)
  const names: string[] = []
  for (let first = 0; first < size; first += PIECE) {
    const length = Math.min(PIECE, size - first)
    const name = `${expected}-${names.length}`
    names.push(name)
    let bytes = await pieces?.read(name)
    // One that was saved in part is loaded again.
    if (bytes?.length !== length) {
      bytes = await load(options, first, length)
      await pieces?.save(name, bytes)
    }
    image.set(bytes, first)
    onProgress?.({ loaded: first + length, total: size })
  }
  const isRight = sha256(image) === expected
  for (const name of names) await pieces?.remove(name)
  if (!isRight) throw new FirmwareDownloadError('hash', 'The bytes are not the image that was offered')
  return image
}

async function load(options: DownloadFirmwareOptions, first: number, length: number): Promise<Uint8Array> {
  const { sha256: expected, signal } = options
  const headers = { range: `bytes=${first}-${first + length - 1}`, 'if-range': `"${expected}"` }
  const bytes = options.fetch
    ? await bytesOf(await options.fetch(headers, signal), expected)
    : await loadByCompanion(options, headers)
  // Of another file, the service sends the whole.
  if (bytes.byteLength !== length) throw new FirmwareDownloadError('changed', 'Another file is there')
  return new Uint8Array(bytes)
}

/**
 * By the raw client: it sends headers of a call. It gets files too, which its published type leaves out, because a plain client of
 * tRPC could not.
 */
async function loadByCompanion(
  { companion, device_id, firmware_id, signal }: ByCompanion,
  headers: Record<string, string>,
): Promise<ArrayBuffer> {
  const { download } = Object(Reflect.get(companion.trpc, 'firmware'))
  const options = { context: { headers }, ...(signal ? { signal } : {}) }
  const { bytes } = Object(await download.query({ device_id, firmware_id }, options))
  return bytes
}

async function bytesOf(response: Response, expected: string): Promise<ArrayBuffer> {
  const { status, headers } = response
  if (status !== 200 && status !== 206)
    throw new FirmwareDownloadError('refused', `The service has answered with status ${status}`, status)
  if (!headers.get('etag')?.includes(expected))
    throw new FirmwareDownloadError('changed', 'Another file is there')
  return response.arrayBuffer()
}
