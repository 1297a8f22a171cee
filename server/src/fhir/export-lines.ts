import { pipeline, Readable } from 'node:stream'
import { constants, createDeflateRaw, createGzip, createInflateRaw } from 'node:zlib'

/*
 * The lines of a part of an export as they are stored: raw deflate (RFC 1951), each part whole by itself. Parts one behind the other
 * are one stream, of whichever of them. Both ways take one engine for many parts: what an engine has held stays in memory until
 * V8 has collected all that it has.
 */

/** Packs lines part by part. `close` frees the engine. */
export function createLinePacker(): {
  pack: (lines: readonly string[]) => Promise<string>
  close: () => void
} {
  const engine = createDeflateRaw()
  let packed: Buffer[] = []
  let fail: (error: Error) => void = () => {}
  engine.on('data', (chunk: Buffer) => packed.push(chunk)).on('error', (error) => fail(error))
  return {
    async pack(lines) {
      await new Promise<void>((resolve, reject) => {
        fail = reject
        engine.write(`${lines.join('\n')}\n`)
        engine.flush(constants.Z_FULL_FLUSH, () => resolve())
      })
      const text = Buffer.concat(packed).toString('base64')
      packed = []
      return text
    },
    close: () => engine.close(),
  }
}

/** The bytes of the lines of packed parts, as one gzip file if `isPacked`: of several, one for each part, many readers take the first alone. */
export function readLines(parts: AsyncIterable<string>, isPacked: boolean): AsyncIterable<Uint8Array> {
  const source = Readable.from(
    (async function* () {
      for await (const part of parts) yield Buffer.from(part, 'base64')
    })(),
  )
  const unpacked = createInflateRaw({ finishFlush: constants.Z_SYNC_FLUSH })
  if (!isPacked) return pipeline(source, unpacked, () => {})
  return pipeline(source, unpacked, createGzip({ level: 1 }), () => {})
}
