import { rawOptions } from '../call-options.ts'
import type { CallOptions } from '../call-options.ts'
import type { AnalysisChartInput, CompanionTrpc, RecentChartInput } from '../types.ts'

export const chartsOperations = (trpc: CompanionTrpc) => ({
  /**
   * Usage of a child's devices in the last 7 or 30 days, only the dates that have data, ascending. Contract: Analysis
   * and history endpoints, chart/recent.
   *
   * @param input `select_mode` 0 (default) for 7 days, 1 for 30; `current_date` (`yyyy-mm-dd`) is the last of them.
   * Send the date where the user is: otherwise it is today where the service is
   * @returns for each date `treatment_time` (seconds, summed), `last_intensity` (mean, to one decimal) and `movement`
   * (summed); `avg_…` are plain means over these dates, 0 without data
   * @throws 400 `Invalid mode. Use 0 for recent 7 days or 1 for recent 30 days`
   * @throws 401 `Not authorized user`: another account's child
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  recent: (input: RecentChartInput, options?: CallOptions) =>
    trpc.charts.recent.query(input, rawOptions(options)),

  /**
   * The same for every date of the window, and the air, light and noise around the child's bed. Contract: Analysis and
   * history endpoints, chart/analysis.
   *
   * @param input as of `recent`
   * @returns dates without data carry 0, which the averages leave out; `sleep_env_data` has daily means: `temperature`
   * (°C) and `humidity` (per cent) to one decimal, `brightness` and `noise` as integers in the base station's own units
   * @throws 400 `Invalid mode. Use 0 for recent 7 days or 1 for recent 30 days`
   * @throws 401 `Not authorized user`: another account's child
   * @throws 403 `Device not found`: no base station was ever connected
   * @throws 404 `This device does not belong to the user`: none is connected now
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  analysis: (input: AnalysisChartInput, options?: CallOptions) =>
    trpc.charts.analysis.query(input, rawOptions(options)),
})
