import type { FileHandle } from 'node:fs/promises'
import { openUnnamedFile } from '../http/unnamed-file.ts'
import { createThreads, DEFAULT_THREADS } from '../threads/threads.ts'
import type { WorkbookHead, WorkbookRequest } from './write-workbook.ts'

const onThread = createThreads<WorkbookRequest, void>({
  script: new URL('write-workbook.ts', import.meta.url),
  threads: DEFAULT_THREADS,
  // The last to wait must be served before the server takes its silence for a broken connection.
  waiting: 16,
  waitingOfOneParty: 2,
  waitingMs: 60_000,
  retryAfterSeconds: 30,
  timeoutMs: 60_000,
  idleMs: 30_000,
  resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 2 },
})

/** Where a workbook is written row by row; `rows` resolves when there is room for more. */
export interface WorkbookSink {
  rows(pass: 1 | 2, lines: string): Promise<void>
}

/**
 * Writes a workbook of the usage logs of a device off the event loop; at most two at a time, the others wait, two of one
 * device at the most. `fill` gives the rows of both passes; every sheet says what it is about. The caller closes the file.
 */
export async function writeWorkbook(
  about: WorkbookHead,
  fill: (sink: WorkbookSink) => Promise<void>,
): Promise<FileHandle> {
  let file: FileHandle | undefined
  try {
    return await onThread(async (ask) => {
      file = await openUnnamedFile()
      // oxlint-disable-next-line no-restricted-properties -- lent to a thread, which writes to it and never closes it
      await ask({ order: 'open', descriptor: file.fd, about })
      await fill({ rows: (pass, lines) => ask({ order: 'rows', pass, lines }) })
      await ask({ order: 'close' })
      return file
    }, about.uniqueId)
  } catch (error) {
    // Only now, as its thread is gone: it would write to the next file with the same descriptor.
    await file?.close()
    throw error
  }
}
