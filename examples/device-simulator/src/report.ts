import type { ItemResult } from './response.ts'
import type { DayTruth } from './truth.ts'

/** Items that the service did not take, and why. */
export interface RejectedItems {
  /** Number of the upload, from 1. */
  upload: number
  /** Status of the response; 200 for single items of a lenient upload; null when no response came. */
  status: number | null
  /** The server's `detail`, a text or a list of validation errors; the network error when no response came. */
  detail: unknown
  /** Positions in the given items. */
  items: number[]
}

/** Result of a run. `sent` always equals `acknowledged + rejected + failed`. */
export interface UploadReport {
  /** Whether every item was acknowledged and nothing was refused or given up. */
  ok: boolean
  /** Requests started, including retries, repetitions and cut ones. */
  sent: number
  /** Requests answered with 200. */
  acknowledged: number
  /** Requests sent because the one before had failed. */
  retried: number
  /** Requests sent although the one before was acknowledged. */
  repeated: number
  /** Requests that the device cut in the middle of the body, on purpose. */
  cut: number
  /** Requests whose answer the device did not wait for, on purpose. */
  lost: number
  /** Requests with half a body sent as the whole, on purpose. */
  torn: number
  /** How often the device took the time from the service and corrected its records. */
  corrected: number
  /** Requests refused with a status that no retry would change, including torn ones and those with a wrong clock. */
  rejected: number
  /** Requests without a response or with 5xx or 429, including those cut or lost on purpose. */
  failed: number
  /** Uploads never sent because the device had given up. */
  unsent: number
  /** Number of items: those given and those that misbehaviour added, each counted once. */
  items: number
  /** Items in an acknowledged upload, except those that a lenient answer rejects. */
  items_acknowledged: number
  /** Items refused at least once. */
  items_rejected: number
  /** Counts of the results in lenient answers; copies and repetitions count again. */
  results: Record<ItemResult['status'], number>
  rejections: RejectedItems[]
  /** The true sums per date, as the device recorded them. */
  truth: DayTruth[]
}

/** Formats the report as a few lines for a person. */
export function summarize(report: UploadReport): string {
  const { results } = report
  const lines = [
    `requests ${report.sent} sent: ${report.acknowledged} acknowledged, ${report.rejected} rejected, ` +
      `${report.failed} failed`,
    `items    ${report.items}: ${report.items_acknowledged} acknowledged, ` +
      `${report.items - report.items_acknowledged} not; ${report.items_rejected} rejected at least once`,
  ]
  const reasons = (['retried', 'repeated', 'cut', 'lost', 'torn'] as const)
    .filter((reason) => report[reason] > 0)
    .map((reason) => `${report[reason]} ${reason}`)
  if (reasons.length > 0) lines.splice(1, 0, `of these ${reasons.join(', ')}`)
  if (report.corrected > 0) lines.push(`clock    corrected ${report.corrected} times`)
  if (report.unsent > 0) lines.push(`uploads  ${report.unsent} never sent`)
  if (Object.values(results).some((count) => count > 0)) {
    lines.push(
      `lenient  ${results.stored} stored, ${results.duplicate} duplicate, ${results.completed} completed, ` +
        `${results.rejected} rejected`,
    )
  }
  return lines.join('\n')
}
