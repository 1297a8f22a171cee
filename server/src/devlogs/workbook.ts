import { randomUUID } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createThreads, FEW_THREADS } from '../threads/threads.ts'
import type { Order } from './write-workbook.ts'

const onThread = createThreads<Order, void>({
  script: new URL('write-workbook.ts', import.meta.url),
  threads: FEW_THREADS,
  waiting: 100,
  retryAfterSeconds: 30,
  answerMs: 60_000,
  idleMs: 30_000,
  resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 2 },
})

/** Where a workbook is written row by row; `rows` resolves when there is room for more. */
export interface WorkbookSink {
  rows(pass: 1 | 2, lines: string): Promise<void>
}

/** A file that is complete, and closed by its caller. */
interface Workbook {
  file: FileHandle
  size: number
}

/**
 * Writes a workbook of usage logs off the event loop; at most two at a time, the others wait. `fill` gives the rows of
 * both passes; `about` is said on the last sheet.
 */
export async function writeWorkbook(
  about: [name: string, value: string][],
  fill: (sink: WorkbookSink) => Promise<void>,
): Promise<Workbook> {
  let file: FileHandle | undefined
  try {
    return await onThread(async (ask) => {
      file = await openUnnamed()
      await ask({ order: 'open', descriptor: file.fd })
      await fill({ rows: (pass, lines) => ask({ order: 'rows', pass, lines }) })
      await ask({ order: 'close', about })
      return { file, size: (await file.stat()).size }
    })
  } catch (error) {
    // Only now, as its thread is gone: it would write to the next file with the same descriptor.
    await file?.close()
    throw error
  }
}

/** A file without a name is gone with its last descriptor, however the process ends. */
async function openUnnamed(): Promise<FileHandle> {
  const path = join(tmpdir(), `companion-export-${randomUUID()}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}
