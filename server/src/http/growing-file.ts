import type { FileHandle } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { FileResponse } from './file-response.ts'
import { openUnnamedFile } from './unnamed-file.ts'

/** A file without a name that is written from front to back, and may be read before its end is written. */
export class GrowingFile {
  readonly #handle: FileHandle
  #size = 0
  #isRead = false
  #grown = Promise.withResolvers<void>()

  constructor(handle: FileHandle) {
    this.#handle = handle
  }

  get size(): number {
    return this.#size
  }

  /** Throws away what was written, if nobody reads it yet. */
  async restart(): Promise<void> {
    if (this.#isRead) throw new Error('The beginning of the file was sent')
    this.#size = 0
    await this.#handle.truncate(0)
  }

  async append(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      const { bytesWritten } = await this.#handle.write(bytes, at, bytes.length - at, this.#size)
      at += bytesWritten
      this.#size += bytesWritten
    }
    this.#tell()
  }

  /** Reads the file to the end, in chunks of at most `most` bytes, while it is written. Fails as `made` does. */
  async *read(most: number, made: Promise<void>): AsyncGenerator<Uint8Array> {
    this.#isRead = true
    let isOver = false
    const over = () => {
      isOver = true
      this.#tell()
    }
    made.then(over, over)
    // New buffers would hold a large file whole before they are freed.
    const buffer = Buffer.allocUnsafe(most)
    for (let at = 0; ;) {
      const due = Math.min(most, this.#size - at)
      if (due === 0) {
        if (isOver) return made
        await this.#grown.promise
        continue
      }
      const { bytesRead } = await this.#handle.read(buffer, 0, due, at)
      at += bytesRead
      // The response only waits for a chunk to leave if it is as large as it can hold.
      yield bytesRead === most ? buffer : Buffer.from(buffer.subarray(0, bytesRead))
    }
  }

  close(): Promise<void> {
    return this.#handle.close()
  }

  #tell(): void {
    this.#grown.resolve()
    this.#grown = Promise.withResolvers()
  }
}

/** Proxies commonly give up a response of which nothing comes for 30 or 60 s. */
const BEGIN_MS = 10_000

/**
 * Answers the file that `write` makes, as `name`: whole and with its size, or if that takes longer than `beginMs`, while it is
 * made. An error within this time is thrown; a later one breaks the download. `onBroken` runs where the file was made and the
 * caller has not got all of it.
 */
export async function growingResponse(
  name: string,
  write: (file: GrowingFile) => Promise<void>,
  { onBroken, beginMs = BEGIN_MS }: { onBroken: () => Promise<void>; beginMs?: number },
): Promise<FileResponse> {
  const file = new GrowingFile(await openUnnamedFile())
  let isMade = false
  const make = async () => {
    await write(file)
    isMade = true
  }
  const made = make()
  const waiting = new AbortController()
  try {
    await Promise.race([made, pause(beginMs, undefined, { signal: waiting.signal })])
  } catch (error) {
    await file.close()
    throw error
  } finally {
    waiting.abort()
  }
  return new FileResponse({
    name,
    size: isMade ? file.size : undefined,
    bytes: (most) => file.read(most, made),
    async discard(isSent) {
      await made.catch(() => undefined)
      await file.close()
      if (!isSent && isMade) await onBroken()
    },
  })
}
