import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import type { ResponseFile } from './context.ts'

/**
 * Yields a file in chunks of `most` bytes; the last one may be shorter. Each chunk is sent before the next is
 * requested, so the source may reuse its buffer.
 */
type Bytes = (most: number) => Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/**
 * A file that is complete before its first byte is sent, so that an error is answered as JSON and never as half a file. Of one
 * that takes long the size is not known yet; a client sees by the end of the chunks whether it has all.
 */
export class FileResponse implements ResponseFile {
  readonly name: string
  readonly size: number | undefined
  readonly #status: number
  readonly #headers: Readonly<Record<string, string | number>>
  readonly #bytes: Bytes
  readonly #discard: (isSent: boolean) => Promise<void>

  /**
   * `size` is in bytes. `headers` are sent besides those of every file. `discard` runs once the file was sent (`isSent`) or sending has
   * failed.
   */
  constructor(file: {
    name: string
    size: number | undefined
    bytes: Bytes
    status?: 200 | 206
    headers?: Readonly<Record<string, string | number>>
    discard?: (isSent: boolean) => Promise<void>
  }) {
    this.name = file.name
    this.size = file.size
    this.#status = file.status ?? 200
    this.#headers = file.headers ?? {}
    this.#bytes = file.bytes
    this.#discard = file.discard ?? (async () => {})
  }

  async send(response: ServerResponse, contentType: string): Promise<void> {
    let failure: unknown
    const bytes = async function* (all: ReturnType<Bytes>) {
      try {
        yield* all
      } catch (error) {
        failure = error
        throw error
      }
    }
    try {
      response.writeHead(this.#status, {
        'content-type': contentType,
        ...(this.size === undefined ? {} : { 'content-length': this.size }),
        'content-disposition': `attachment; filename=${safeName(this.name)}`,
        'cache-control': 'private, no-store',
        ...this.#headers,
      })
      if (response.req.method === 'HEAD') response.end()
      else {
        response.flushHeaders()
        await pipeline(bytes(this.#bytes(response.writableHighWaterMark)), response)
      }
    } catch (error) {
      // A client that disconnects in the middle of a file is no failure of the service.
      if (failure !== undefined || (!response.destroyed && !response.writableEnded)) throw error
    } finally {
      await this.#discard(response.writableFinished)
    }
  }
}

/** No file: 204. */
export class NoFileResponse implements ResponseFile {
  readonly name = ''
  readonly size = 0

  async send(response: ServerResponse): Promise<void> {
    response.writeHead(204).end()
  }
}

/** Replaces characters that need quoting in a header (RFC 9110, 5.6.2). */
const safeName = (name: string) => name.replaceAll(/[^\w.~-]/g, '_')

/** The output schema of an operation that answers a file; `Operation.file` holds the content type. */
export const fileResponseSchema = z
  .custom<ResponseFile>((value) => value instanceof FileResponse || value instanceof NoFileResponse)
  .meta({
    override: { type: 'string', format: 'binary' },
  })
