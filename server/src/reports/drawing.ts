import { createThreads, FEW_THREADS } from '../threads/threads.ts'
import type { Report } from './report.ts'

declare module '../http/context.ts' {
  interface Context {
    /** The report as PDF. Throws 429 when too many are waiting. */
    drawReport: DrawReport
  }
}

export type DrawReport = (report: Report) => Promise<Uint8Array>

/** Draws reports on threads of their own, so that nobody else waits for a layout. */
export function createDrawing(): DrawReport {
  const onThread = createThreads<Report, Uint8Array>({
    script: new URL('draw-worker.ts', import.meta.url),
    threads: FEW_THREADS,
    waiting: 40,
    retryAfterSeconds: 10,
    answerMs: 30_000,
    // Its fonts are long to load.
    idleMs: 60_000,
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  })
  return (report) => onThread((ask) => ask(report))
}
