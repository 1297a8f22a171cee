import type { ItemResult } from './answer.ts'
import type { DayTruth } from './truth.ts'

/** Items that the service did not take, and why. */
export interface Refusal {
  /** Number of the upload, from 1. */
  upload: number
  /** Status of the answer; 200 for single items of a lenient upload; null when none came. */
  status: number | null
  /** The server's `detail`, a text or a list of validation errors; the network's fault without an answer. */
  detail: unknown
  /** Positions in the given items. */
  items: number[]
}

/** How an upload run went. `sent` is always `acknowledged + rejected + failed`. */
export interface UploadReport {
  /** Whether every item was acknowledged and nothing was refused or given up. */
  ok: boolean
  /** Requests started, retries, repetitions and cut ones included. */
  sent: number
  /** Requests answered with 200. */
  acknowledged: number
  /** Requests sent because the one before had failed. */
  retried: number
  /** Requests sent although the one before was acknowledged. */
  repeated: number
  /** Requests cut in mid-body on purpose. */
  cut: number
  /** Requests whose answer nobody waited for, on purpose. */
  lost: number
  /** Requests with half a body for the whole of it, on purpose. */
  torn: number
  /** Requests refused with a status that no retry would change, torn ones included. */
  rejected: number
  /** Requests without an answer, with 5xx or 429, cut or lost. */
  failed: number
  /** Uploads never sent because the device gave up before. */
  unsent: number
  /** Items given, and those that misbehaviour added, each counted once. */
  items: number
  /** Of these, the ones in an acknowledged upload, less those a lenient answer rejects. */
  items_acknowledged: number
  /** Of these, the ones refused at least once. */
  items_rejected: number
  /** What lenient answers said of the items sent, copies and repetitions counted again. */
  results: Record<ItemResult['status'], number>
  refusals: Refusal[]
  /** What the device recorded, per date. */
  truth: DayTruth[]
}

/** The report in a few lines for a person. */
export function summarize(report: UploadReport): string {
  const { results } = report
  const lines = [
    `uploads  ${report.sent} sent, ${report.acknowledged} acknowledged, ${report.retried} retried, ` +
      `${report.rejected} rejected, ${report.repeated} repeated, ${report.cut} cut, ` +
      `${report.lost} lost, ${report.torn} torn, ` +
      `${report.unsent} never sent`,
    `items    ${report.items}, ${report.items_acknowledged} acknowledged, ${report.items_rejected} rejected`,
  ]
  if (Object.values(results).some((count) => count > 0)) {
    lines.push(
      `lenient  ${results.stored} stored, ${results.duplicate} duplicate, ${results.completed} completed, ` +
        `${results.rejected} rejected`,
    )
  }
  return lines.join('\n')
}
