import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import type { AnsweredFile } from './context.ts'

/** A file that is complete before its first byte is sent, so that an error is still JSON and never half a file. */
export class FileAnswer implements AnsweredFile {
  readonly name: string
  readonly size: number
  readonly #open: () => Readable
  readonly #discard: () => Promise<void>

  /** `open` gives the `size` bytes; `discard` runs when they are sent, or will never be. */
  constructor(file: { name: string; size: number; open: () => Readable; discard?: () => Promise<void> }) {
    this.name = file.name
    this.size = file.size
    this.#open = file.open
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
      else {
        const source = this.#open()
        // A file that is torn down while it opens says so once more, after the pipeline has been told.
        source.on('error', () => {})
        await pipeline(source, response)
      }
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
