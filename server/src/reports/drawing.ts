import { createThreads, FEW_THREADS } from '../threads/threads.ts'
import type { Report } from './report.ts'

declare module '../http/context.ts' {
  interface Context {
    /** Draws a report as PDF. Throws 429 if too many reports are waiting. */
    drawReport: DrawReport
  }
}

/** What a thread is sent. */
export interface Drawing {
  report: Report
  sealKey: Uint8Array
}

export type DrawReport = (report: Report) => Promise<Uint8Array>

/**
 * Returns a function that draws reports in separate threads, so that layout never blocks other requests, and seals them
 * with `sealKey`.
 */
export function createDrawing(sealKey: Uint8Array): DrawReport {
  const onThread = createThreads<Drawing, Uint8Array>({
    script: new URL('draw-worker.ts', import.meta.url),
    threads: FEW_THREADS,
    waiting: 40,
    retryAfterSeconds: 10,
    answerMs: 30_000,
    // Loading the fonts takes long.
    idleMs: 60_000,
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  })
  return (report) => onThread((ask) => ask({ report, sealKey }))
}
