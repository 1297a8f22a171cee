import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import type { AnsweredFile } from './context.ts'

/**
 * The bytes of a file. A chunk of `most` bytes, or the last one, is sent before the next is asked for, and may be
 * overwritten then.
 */
type Bytes = (most: number) => Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** A file that is complete before its first byte is sent, so that an error is still JSON and never half a file. */
export class FileAnswer implements AnsweredFile {
  readonly name: string
  readonly size: number
  readonly #bytes: Bytes
  readonly #discard: () => Promise<void>

  /** `discard` runs when the `size` bytes are sent, or will never be. */
  constructor(file: { name: string; size: number; bytes: Bytes; discard?: () => Promise<void> }) {
    this.name = file.name
    this.size = file.size
    this.#bytes = file.bytes
    this.#discard = file.discard ?? (async () => {})
  }

  async send(response: ServerResponse, contentType: string): Promise<void> {
    try {
      response.writeHead(200, {
        'content-type': contentType,
        'content-length': this.size,
        'content-disposition': `attachment; filename=${safeName(this.name)}`,
        'cache-control': 'private, no-store',
      })
      if (response.req.method === 'HEAD') response.end()
      else await pipeline(this.#bytes(response.writableHighWaterMark), response)
    } catch (error) {
      // A client that went away in mid-file is no fault of the service.
      if (!response.destroyed && !response.writableEnded) throw error
    } finally {
      await this.#discard()
    }
  }
}

/** Only characters that need no quoting in a header (RFC 9110, 5.6.2). */
const safeName = (name: string) => name.replaceAll(/[^\w.~-]/g, '_')

/** The output of an operation that answers a file; `Operation.file` says of which type. */
export const file = z
  .custom<AnsweredFile>((value) => value instanceof FileAnswer)
  .meta({
    override: { type: 'string', format: 'binary' },
  })
