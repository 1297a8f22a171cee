import { fileCall } from '../file-link.ts'
import type { FileOptions } from '../file-link.ts'
import type { CompanionTrpc, ExportReportInput, ReportInput } from '../types.ts'

export const reportsOperations = (trpc: CompanionTrpc) => ({
  /**
   * A child's report of any period, as PDF. Contract: Analysis and history endpoints, pdf/report.
   *
   * @param input `start_date` and `end_date` as `yyyy-mm-dd`, both included, at most 366 days; `basestation_id` of the base
   * station whose readings it shows; `language` `KR` (default) or `EN`
   * @param options `onProgress` is told how many bytes have arrived; `signal` cancels
   * @returns `{ name, type, bytes }`
   * @throws 401 `Not authorized user`: another account's child
   * @throws 403 `This device does not belong to the user`: the base station
   * @throws 404 `Real user is not found`
   * @throws 404 `Device not found`: the base station
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  pdf: (input: ReportInput, options?: FileOptions) => fileCall(trpc.reports.pdf.query)(input, options),

  /**
   * A child's report of one, two or three months, as PDF, with the readings of the base station that was connected first.
   * Contract: Analysis and history endpoints, pdf/export.
   *
   * @param input `current_date` (`yyyy-mm-dd`) is the first day; `select_mode` 0 for one month, 1 for two, 2 for three;
   * `language` `KR` (default) or `EN`
   * @param options `onProgress` is told how many bytes have arrived; `signal` cancels
   * @returns `{ name, type, bytes }`
   * @throws 401 `Not authorized user`: another account's child
   * @throws 403 `This device does not belong to the user`: no base station is connected now
   * @throws 404 `Real user is not found`
   * @throws 404 `Device not found`: no base station was ever connected
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  exportPdf: (input: ExportReportInput, options?: FileOptions) =>
    fileCall(trpc.reports.exportPdf.query)(input, options),
})
