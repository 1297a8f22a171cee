import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { statement } from '../database/statement.ts'
import type { Database } from '../database/database.ts'
import { openUnnamedFile } from '../http/unnamed-file.ts'
import { PIECE_BYTES } from './images.ts'

/** The most images that a process keeps on its disk: 64 MB. */
const MOST_FILES = 8

const selectPiece = statement<{ bytes: Buffer }>(
  'firmware-piece',
  'SELECT bytes FROM firmware_piece WHERE firmware_id = $1 AND number = $2',
)

interface Image {
  firmware_id: number
  size: number
  sha256: Buffer
}

interface Kept {
  file: FileHandle
  /** The SHA-256 of each piece, of an image that had the hash of its manifest. */
  hashes: readonly Buffer[]
  sha1: string
}

export interface FirmwareFiles {
  /**
   * Opens an image: `bytes(first, last)` yields those bytes, both included, in pieces of at most 64 kB, always in the same buffer.
   * `sha1` is that of the image, in hexadecimal digits. `close` must be called.
   */
  open(image: Image): Promise<{
    sha1: string
    bytes: (first: number, last: number) => AsyncGenerator<Uint8Array>
    close: () => Promise<void>
  }>
  /** Closes the files that nobody reads. */
  close: () => Promise<void>
}

declare module '../http/context.ts' {
  interface Context {
    firmwareFiles: FirmwareFiles
  }
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()

/**
 * Keeps the images that were asked for last in files without a name. What is read is hashed before it is sent; a piece that the disk has
 * changed is read from the database again.
 */
export function createFirmwareFiles(database: Pick<Database, 'query'>): FirmwareFiles {
  /** By firmware, the one that was used last at the end. */
  const files = new Map<number, { kept: Promise<Kept>; users: number; isDropped: boolean }>()

  const fetchPiece = async (firmwareId: number, number: number) => {
    const [piece] = await database.query(selectPiece, [firmwareId, number])
    if (!piece) throw new Error(`firmware ${firmwareId} lacks its piece ${number}`)
    return piece.bytes
  }

  const fetchImage = async ({ firmware_id, size, sha256: expected }: Image): Promise<Kept> => {
    const file = await openUnnamedFile()
    try {
      const whole = createHash('sha256')
      // What some clients compare (docs/firmware-updates.md); nothing relies on it.
      const sha1 = createHash('sha1')
      const hashes: Buffer[] = []
      for (let at = 0; at < size; at += PIECE_BYTES) {
        const bytes = await fetchPiece(firmware_id, hashes.length)
        whole.update(bytes)
        sha1.update(bytes)
        hashes.push(sha256(bytes))
        await file.write(bytes, 0, bytes.length, at)
      }
      if (!whole.digest().equals(expected))
        throw new Error(`the pieces of firmware ${firmware_id} are not the image that was signed`)
      return { file, hashes, sha1: sha1.digest('hex') }
    } catch (error) {
      await file.close()
      throw error
    }
  }

  const take = (image: Image) => {
    const found = files.get(image.firmware_id) ?? { kept: fetchImage(image), users: 0, isDropped: false }
    found.users += 1
    files.delete(image.firmware_id)
    files.set(image.firmware_id, found)
    return found
  }

  const drop = async (firmwareId: number) => {
    const found = files.get(firmwareId)
    files.delete(firmwareId)
    if (!found) return
    found.isDropped = true
    if (found.users === 0) await (await found.kept).file.close()
  }

  const dropOldest = async () => {
    for (const [firmwareId, { users }] of files)
      if (files.size > MOST_FILES && users === 0) await drop(firmwareId)
  }

  return {
    async open(image) {
      const taken = take(image)
      const leave = async () => {
        taken.users -= 1
        if (taken.isDropped && taken.users === 0) await (await taken.kept).file.close()
        await dropOldest()
      }
      const kept = await taken.kept.catch((error: unknown) => {
        files.delete(image.firmware_id)
        throw error
      })
      return {
        sha1: kept.sha1,
        bytes: (first, last) =>
          readPieces(kept, image.size, { first, last }, (n) => fetchPiece(image.firmware_id, n)),
        close: leave,
      }
    },
    async close() {
      await Promise.all([...files.keys()].map(drop))
    },
  }
}

async function* readPieces(
  { file, hashes }: Kept,
  size: number,
  { first, last }: { first: number; last: number },
  fetchPiece: (number: number) => Promise<Buffer>,
): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size))
  for (let number = Math.floor(first / PIECE_BYTES); number * PIECE_BYTES <= last; number += 1) {
    const start = number * PIECE_BYTES
    const length = Math.min(PIECE_BYTES, size - start)
    const { bytesRead } = await file.read(buffer, 0, length, start)
    const expected = hashes[number]
    const isGood = () => bytesRead === length && expected?.equals(sha256(buffer.subarray(0, length)))
    if (!isGood()) {
      const bytes = await fetchPiece(number)
      if (!expected?.equals(sha256(bytes))) throw new Error('a piece of a firmware has changed')
      await file.write(bytes, 0, length, start)
      bytes.copy(buffer)
    }
    yield buffer.subarray(Math.max(0, first - start), Math.min(length, last - start + 1))
  }
}
