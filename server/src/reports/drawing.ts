import type { Logger } from 'pino'
import { Counter } from 'prom-client'
import { createThreads, DEFAULT_THREADS } from '../threads/threads.ts'
import type { DrawnReport } from './layout/draw-report.ts'
import type { Report } from './report.ts'

declare module '../http/context.ts' {
  interface Context {
    /** Draws a report as PDF. Throws 429 if too many reports are waiting. */
    drawReport: DrawReport
  }
}

const undrawnCharacters = new Counter({
  name: 'companion_undrawn_characters_total',
  help: 'Characters of reports that a font failed to lay out, and that were replaced.',
})

/** What a thread is sent. */
export interface DrawingTask {
  report: Report
  sealKey: Uint8Array
}

export type DrawReport = (report: Report) => Promise<Uint8Array>

/**
 * Returns a function that draws reports in separate threads, so that layout never blocks other requests, and seals them
 * with `sealKey`.
 */
export function createReportRenderer(sealKey: Uint8Array, log: Logger): DrawReport {
  const onThread = createThreads<DrawingTask, DrawnReport>({
    script: new URL('draw-worker.ts', import.meta.url),
    threads: DEFAULT_THREADS,
    waiting: 40,
    retryAfterSeconds: 10,
    timeoutMs: 30_000,
    // Loading the fonts takes long.
    idleMs: 60_000,
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  })
  return async (report) => {
    const { pdf, undrawn } = await onThread((ask) => ask({ report, sealKey }))
    if (undrawn.length > 0) {
      undrawnCharacters.inc(undrawn.length)
      log.error(
        { characters: undrawn },
        'A font failed to lay out characters of a report; they were replaced',
      )
    }
    return pdf
  }
}
