import { parentPort } from 'node:worker_threads'
import { reply } from '../threads/reply.ts'
import type { DrawingTask } from './drawing.ts'
import { drawReport } from './layout/draw-report.ts'
import type { DrawnReport } from './layout/draw-report.ts'
import { computeCheckCode, sealReport } from './seal.ts'

parentPort?.on('message', (drawing: DrawingTask) => reply(drawSealed(drawing)))

async function drawSealed({ report, sealKey }: DrawingTask): Promise<DrawnReport> {
  const drawn = await drawReport(report, computeCheckCode(sealKey, JSON.stringify(report)))
  sealReport(sealKey, drawn.pdf)
  return drawn
}
