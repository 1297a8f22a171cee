import { momentText, zonedMomentText } from '../languages/moments.ts'
import type { Report } from '../report.ts'
import { drawAdherence } from './adherence.ts'
import { drawIntensity, drawMovement, drawSleep, drawUsage } from './charts.ts'
import { drawNightStrips } from './night-strips.ts'
import { drawNotes } from './notes.ts'
import { drawRecords } from './records.ts'
import { createSheet } from './sheet.ts'
import { CONTENTS_HEIGHT, drawContents, drawDefinitions, drawSummary, definitionsHeight } from './summary.ts'
import { drawSurveys } from './surveys.ts'

/** A report as PDF, and the characters that a font has, but failed to lay out, as code points. */
export interface DrawnReport {
  pdf: Uint8Array<ArrayBuffer>
  undrawn: readonly string[]
}

/**
 * Draws the report as PDF with its check code, and a place for its seal. The same report always gives the same bytes.
 */
export async function drawReport(report: Report, code: string): Promise<DrawnReport> {
  const sheet = createSheet(report, code)
  const { words } = sheet
  const madeAt = zonedMomentText(report.madeAt, report.timeZone, words)
  const uploadedAt =
    report.lastUploadAt === null ? undefined : momentText(report.lastUploadAt, report.timeZone, words)
  const done = collect(sheet.doc)
  drawSummary(sheet, { madeAt, uploadedAt })
  drawUsage(sheet, definitionsHeight(sheet) + CONTENTS_HEIGHT)
  drawDefinitions(sheet)
  drawContents(sheet)
  drawNightStrips(sheet)
  drawIntensity(sheet)
  drawMovement(sheet)
  drawSleep(sheet)
  drawAdherence(sheet)
  drawNotes(sheet)
  drawSurveys(sheet)
  drawRecords(sheet)
  sheet.finish(`${words.made} ${madeAt}`)
  return { pdf: await done, undrawn: [...sheet.type.undrawn] }
}

async function collect(doc: PDFKit.PDFDocument): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = []
  for await (const chunk of doc) chunks.push(Buffer.from(chunk))
  const bytes = new Uint8Array(chunks.reduce((length, chunk) => length + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}
