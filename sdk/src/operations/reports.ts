/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { CompanionFile, FileOptions } from '../file-link.ts'
import { fileQueryMethod } from '../method-kinds.ts'
import type { MethodKind } from '../method-kinds.ts'
import type { CompanionCall } from '../safe.ts'
import type { ExportReportInput, ReportInput } from '../types.ts'
import type { ExportPdfError, PdfReportError } from './errors.ts'

export interface ReportsOperations {
  /**
   * A child's report of any period, as PDF.
   *
   * The report shows usage, intensity, movement, sleep environment, adherence, notes, surveys and all nights from
   * `start_date` to `end_date`, both included and at most 366 days.
   *
   * Contract: `GET /api/v1/beta/pdf/report`.
   *
   * @param input
   * - `basestation_id`: The base station whose readings the report shows.
   * - `start_date`: The first day. Such as `2026-03-01`.
   * - `end_date`: The last day. Such as `2026-03-01`.
   * - `language`: `KR`: Korean, `EN`: English. Default: "KR".
   * @param options `onProgress` is told how many bytes have arrived; `signal` cancels
   * @returns `{ name, type, bytes }`; `type` is `application/pdf`
   * @throws 401 `Not authorized user`: the child belongs to another account, and the caller has no right to this
   * @throws 403 `This device does not belong to the user`: the base station is not connected to that account now
   * @throws 404 `Real user is not found`: no such child, or it was deleted
   * @throws 404 `Device not found`: no such base station, or the account of the child has never had one
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  pdf: (input: ReportInput, options?: FileOptions) => CompanionCall<CompanionFile, PdfReportError>

  /**
   * A child's report of one, two or three months, as PDF.
   *
   * The period ends on the day before the same day of a later month; in a month without that day, its last day counts.
   * The base station is the one that, of those connected to the account now, was connected first.
   *
   * Contract: `GET /api/v1/beta/pdf/export`.
   *
   * @param input
   * - `current_date`: The first day. Such as `2026-03-01`.
   * - `select_mode`: 0: one month, 1: two months, 2: three months. From 0 to 2.
   * - `language`: `KR`: Korean, `EN`: English. Default: "KR".
   * @param options `onProgress` is told how many bytes have arrived; `signal` cancels
   * @returns `{ name, type, bytes }`; `type` is `application/pdf`
   * @throws 401 `Not authorized user`: the child belongs to another account, and the caller has no right to this
   * @throws 403 `This device does not belong to the user`: the base station is not connected to that account now
   * @throws 404 `Real user is not found`: no such child, or it was deleted
   * @throws 404 `Device not found`: no such base station, or the account of the child has never had one
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  exportPdf: (input: ExportReportInput, options?: FileOptions) => CompanionCall<CompanionFile, ExportPdfError>
}

export const reportsMethods: Record<keyof ReportsOperations, MethodKind> = {
  pdf: fileQueryMethod,
  exportPdf: fileQueryMethod,
}
