import pLimit from 'p-limit'
import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import type { Caller } from '../auth/tokens/caller.ts'
import type { Operation } from '../http/endpoint.ts'
import { FileResponse } from '../http/file-response.ts'
import type { Context } from '../http/context.ts'
import { languageCodes } from './languages/index.ts'
import type { LanguageCode } from './languages/index.ts'
import { readReportData, reportErrors } from './report-data.ts'
import type { ReportQuery } from './report-data.ts'
import { makeReport } from './report.ts'
import { VERIFY_PAGE_PATH } from './verify-page-html.ts'

/** Starts an operation that answers a report and may fail with `reportErrors`. */
export const reportEndpoint = (operation: Omit<Operation, 'method' | 'right' | 'scope' | 'token' | 'file'>) =>
  accountEndpoint(
    {
      ...operation,
      method: 'GET',
      right: 'viewer',
      accounts: 'all',
      scope: ['reports:read'],
      file: 'application/pdf',
    },
    reportErrors,
  )

/** Whether a report for this caller holds notes: always, but for a service that was granted none. */
export const mayReadNotes = ({ granted }: Caller): boolean => !granted || granted.scopes.has('notes:read')

export const languageSchema = z
  .enum(languageCodes)
  .default('KR')
  .meta({ description: '`KR`: Korean, `EN`: English' })

/** Limits concurrent reports, so that most database connections stay free for other requests. */
const inTurn = pLimit(2)

type WantedReport = Omit<ReportQuery, 'goalMinutes'> & { language: LanguageCode }

/** Draws the report that `wanted` selects, as PDF. Throws one of `reportErrors`. */
export async function drawReportPdf(
  { database, drawReport, request, adherenceGoalMinutes: goalMinutes }: Context,
  wanted: WantedReport,
): Promise<Uint8Array> {
  const now = new Date()
  const data = await inTurn(() => readReportData(database, { ...wanted, goalMinutes }))
  const verifyAddress = `${request.origin()}${VERIFY_PAGE_PATH}`
  return drawReport(makeReport(data, { ...wanted, verifyAddress, now }))
}

/** Makes the report that `wanted` selects; it is complete before its first byte is sent. */
export async function reportResponse(ctx: Context, wanted: WantedReport): Promise<FileResponse> {
  const pdf = await drawReportPdf(ctx, wanted)
  return new FileResponse({ name: 'Beta_Report.pdf', size: pdf.length, bytes: () => [pdf] })
}
