import { parentPort } from 'node:worker_threads'
import { answer } from '../threads/answer.ts'
import { drawReport } from './layout/draw-report.ts'
import type { Report } from './report.ts'

parentPort?.on('message', (report: Report) => answer(drawReport(report)))
