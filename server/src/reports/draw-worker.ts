import { parentPort } from 'node:worker_threads'
import { reply } from '../threads/reply.ts'
import type { Drawing } from './drawing.ts'
import { drawReport } from './layout/draw-report.ts'
import type { Drawn } from './layout/draw-report.ts'
import { computeCheckCode, sealReport } from './seal.ts'

parentPort?.on('message', (drawing: Drawing) => reply(drawSealed(drawing)))

async function drawSealed({ report, sealKey }: Drawing): Promise<Drawn> {
  const drawn = await drawReport(report, computeCheckCode(sealKey, JSON.stringify(report)))
  sealReport(sealKey, drawn.pdf)
  return drawn
}
