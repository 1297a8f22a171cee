import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { Drawn } from './drawing.ts'
import { drawReport } from './layout/draw-report.ts'
import type { Report } from './report.ts'

// On Linux this is the thread's own priority, elsewhere it would be that of the whole process.
if (process.platform === 'linux') setPriority(10)

parentPort?.on('message', (report: Report) => void answer(report))

async function answer(report: Report): Promise<void> {
  try {
    const pdf = await drawReport(report)
    parentPort?.postMessage({ pdf } satisfies Drawn, [pdf.buffer])
  } catch (error) {
    parentPort?.postMessage({ error } satisfies Drawn)
  }
}
