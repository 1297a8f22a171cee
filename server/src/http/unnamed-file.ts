import { randomUUID } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FileResponse } from './file-response.ts'

/** A file without a name is gone with its last descriptor, however the process ends. */
export async function openUnnamedFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `companion-export-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

/** Answers `file` as `name`, and closes it once it was sent. `onBroken` runs where the caller has not got all of it. */
export const sendUnnamedFile = async (
  name: string,
  file: FileHandle,
  onBroken?: () => Promise<void>,
): Promise<FileResponse> =>
  new FileResponse({
    name,
    size: (await file.stat()).size,
    bytes: (most) => readAll(file, most),
    async discard(isSent) {
      await file.close()
      if (!isSent) await onBroken?.()
    },
  })

/** The bytes of a file, always in the same buffer: new ones would hold a large file whole before they are freed. */
async function* readAll(source: FileHandle, most: number): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(most)
  for (let at = 0; ;) {
    const { bytesRead } = await source.read(buffer, 0, most, at)
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}
