import { pipeline, Readable } from 'node:stream'
import { constants, crc32, createDeflateRaw, createInflateRaw } from 'node:zlib'
import { crc32OfBoth } from './crc32-of-both.ts'

/*
 * The lines of a part of an export as they are stored: CRC-32 and length, then raw deflate (RFC 1951) that is whole by itself and has
 * no end. So any parts one behind the other are one stream, which is sent as it is: to pack a million lines again would take a minute, and
 * leave its buffers to be collected.
 */

const HEAD_BYTES = 8

/** Packs lines part by part, with one engine: what an engine has held stays in memory until V8 has collected all. `close` frees it. */
export function createLinePacker(): {
  pack: (lines: readonly string[]) => Promise<string>
  close: () => void
} {
  const engine = createDeflateRaw()
  let packed: Buffer[] = []
  const { promise: failed, reject: fail } = Promise.withResolvers<never>()
  failed.catch(() => undefined)
  engine.on('data', (chunk: Buffer) => packed.push(chunk)).once('error', fail)
  return {
    async pack(lines) {
      const bytes = Buffer.from(`${lines.join('\n')}\n`)
      const head = Buffer.alloc(HEAD_BYTES)
      head.writeUInt32LE(crc32(bytes), 0)
      head.writeUInt32LE(bytes.length, 4)
      engine.write(bytes)
      const flushed = new Promise<void>((resolve) => {
        engine.flush(constants.Z_FULL_FLUSH, () => resolve())
      })
      await Promise.race([flushed, failed])
      const text = Buffer.concat([head, ...packed]).toString('base64')
      packed = []
      return text
    },
    close: () => engine.close(),
  }
}

/** Of a gzip file without a name and a time (RFC 1952, 2.3). */
const GZIP_HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])
/** The last block of a deflate stream, an empty one. */
const LAST_BLOCK = [3, 0]

/**
 * The bytes of the lines of packed parts, as one gzip file if `isPacked`: of several, one for each part, many readers take the first
 * alone.
 */
export function readLines(parts: AsyncIterable<string>, isPacked: boolean): AsyncIterable<Uint8Array> {
  if (isPacked) return gzipOf(parts)
  const source = async function* () {
    for await (const part of parts) yield Buffer.from(part, 'base64').subarray(HEAD_BYTES)
  }
  const unpacked = createInflateRaw({ finishFlush: constants.Z_SYNC_FLUSH })
  return pipeline(Readable.from(source()), unpacked, () => {})
}

async function* gzipOf(parts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let [crc, size] = [0, 0]
  yield GZIP_HEAD
  for await (const part of parts) {
    const bytes = Buffer.from(part, 'base64')
    const length = bytes.readUInt32LE(4)
    crc = crc32OfBoth(crc, bytes.readUInt32LE(0), length)
    // Beyond 4 GB a gzip file tells what is left.
    size = (size + length) % 2 ** 32
    yield bytes.subarray(HEAD_BYTES)
  }
  const tail = Buffer.from([...LAST_BLOCK, 0, 0, 0, 0, 0, 0, 0, 0])
  tail.writeUInt32LE(crc, LAST_BLOCK.length)
  tail.writeUInt32LE(size, LAST_BLOCK.length + 4)
  yield tail
}
