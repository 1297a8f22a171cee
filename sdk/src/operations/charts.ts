/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { CallOptions } from '../call-options.ts'
import { queryMethod } from '../method-kinds.ts'
import type { MethodKind } from '../method-kinds.ts'
import type { CompanionCall } from '../safe.ts'
import type { AnalysisChart, AnalysisChartInput, Outputs, RecentChart, RecentChartInput } from '../types.ts'
import type { RecentByDateInput } from './inputs.ts'
import type { AnalysisChartError, RecentByDateError, RecentChartError } from './errors.ts'

export interface ChartsOperations {
  /**
   * Usage time, intensity and movement of the dates that have data.
   *
   * The window has 7 or 30 days and ends with `current_date`. Of several treatments on one date, times and movements
   * are summed and last intensities averaged. The averages are plain means over the dates that have data. Dates are
   * ascending.
   *
   * Contract: `GET /api/v1/beta/chart/recent`.
   *
   * @param input
   * - `select_mode`: 0: 7 days, 1: 30 days. Default: 0.
   * - `current_date`: The last day of the window. Send the date where the user is: without it, it is today in the time
   *   zone of the service. Such as `2026-03-01`.
   * @returns Use, intensity and movement of the dates that have data.
   * - `treatment_time_data`: Time of use by date.
   * - `treatment_time_data[].treatment_date`: The day of the treatments.
   * - `treatment_time_data[].treatment_time`: Seconds, summed.
   * - `treatment_intensity_data`: Intensity by date.
   * - `treatment_intensity_data[].treatment_date`: The day of the treatments.
   * - `treatment_intensity_data[].last_intensity`: Mean, to one decimal.
   * - `movement_data`: Movement by date.
   * - `movement_data[].treatment_date`: The day of the treatments.
   * - `movement_data[].movement`: Summed.
   * - `avg_treatment_time`: Seconds; mean of the dates with data, 0 without.
   * - `avg_treatment_intensity`: Mean of the dates with data, 0 without.
   * - `avg_movement`: Mean of the dates with data, 0 without.
   * @throws 400 `Invalid mode. Use 0 for recent 7 days or 1 for recent 30 days`
   * @throws 401 `Not authorized user`: the account has no such child, or no right to this
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  recent: (input: RecentChartInput, options?: CallOptions) => CompanionCall<RecentChart, RecentChartError>

  /**
   * Usage time, intensity and movement of every date.
   *
   * As `charts.recent`, but each of the 7 or 30 dates is there, ascending, with null where it has no data. The averages
   * leave such dates out.
   *
   * Contract: `GET /api/v2/beta/chart/recent`.
   *
   * @param input
   * - `select_mode`: 0: 7 days, 1: 30 days. Default: 0.
   * - `current_date`: The last day of the window. Send the date where the user is: without it, it is today in the time
   *   zone of the service. Such as `2026-03-01`.
   * @returns Use, intensity and movement of every date.
   * - `treatment_time_data`: Time of use by date.
   * - `treatment_time_data[].treatment_date`: The day of the treatments.
   * - `treatment_time_data[].treatment_time`: Seconds, summed.
   * - `treatment_intensity_data`: Intensity by date.
   * - `treatment_intensity_data[].treatment_date`: The day of the treatments.
   * - `treatment_intensity_data[].last_intensity`: Mean, to one decimal.
   * - `movement_data`: Movement by date.
   * - `movement_data[].treatment_date`: The day of the treatments.
   * - `movement_data[].movement`: Summed.
   * - `avg_treatment_time`: Seconds; mean of the dates with data, 0 without.
   * - `avg_treatment_intensity`: Mean of the dates with data, 0 without.
   * - `avg_movement`: Mean of the dates with data, 0 without.
   * @throws 400 `Invalid mode. Use 0 for recent 7 days or 1 for recent 30 days`
   * @throws 401 `Not authorized user`: the account has no such child, or no right to this
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  recentByDate: (
    input: RecentByDateInput,
    options?: CallOptions,
  ) => CompanionCall<Outputs['charts']['recentByDate'], RecentByDateError>

  /**
   * Usage time, intensity and movement of every date, with the air, light and noise around the bed.
   *
   * The window and the averages are those of `charts.recent`. A date without data carries 0, and the averages leave it
   * out. The base station is the one that, of those connected to the child's account now, was connected first. Dates
   * from before another account handed the child over keep what was measured there.
   *
   * Contract: `GET /api/v1/beta/chart/analysis`.
   *
   * @param input
   * - `select_mode`: 0: 7 days, 1: 30 days. Default: 0.
   * - `current_date`: The last day of the window. Send the date where the user is: without it, it is today in the time
   *   zone of the service. Such as `2026-03-01`.
   * @returns Use, intensity and movement of every date, with the air, light and noise around the bed.
   * - `treatment_time_data`: Time of use by date.
   * - `treatment_time_data[].treatment_date`: The day of the treatments.
   * - `treatment_time_data[].treatment_time`: Seconds, summed.
   * - `treatment_intensity_data`: Intensity by date.
   * - `treatment_intensity_data[].treatment_date`: The day of the treatments.
   * - `treatment_intensity_data[].last_intensity`: Mean, to one decimal.
   * - `movement_data`: Movement by date.
   * - `movement_data[].treatment_date`: The day of the treatments.
   * - `movement_data[].movement`: Summed.
   * - `avg_treatment_time`: Seconds; mean of the dates with data, 0 without.
   * - `avg_treatment_intensity`: Mean of the dates with data, 0 without.
   * - `avg_movement`: Mean of the dates with data, 0 without.
   * - `sleep_env_data`: Air, light and noise around the bed by date.
   * - `sleep_env_data[].date`: The day.
   * - `sleep_env_data[].temperature`: °C, mean to one decimal.
   * - `sleep_env_data[].humidity`: Per cent, mean to one decimal.
   * - `sleep_env_data[].brightness`: Mean, in the base station's own unit.
   * - `sleep_env_data[].noise`: Mean, in the base station's own unit.
   * @throws 400 `Invalid mode. Use 0 for recent 7 days or 1 for recent 30 days`
   * @throws 401 `Not authorized user`: the account has no such child, or no right to this
   * @throws 403 `Device not found`: the account of the child has never had a base station
   * @throws 404 `This device does not belong to the user`: no base station is connected to that account now
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  analysis: (
    input: AnalysisChartInput,
    options?: CallOptions,
  ) => CompanionCall<AnalysisChart, AnalysisChartError>
}

export const chartsMethods: Record<keyof ChartsOperations, MethodKind> = {
  recent: queryMethod,
  recentByDate: queryMethod,
  analysis: queryMethod,
}
