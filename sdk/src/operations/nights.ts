/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { CallOptions } from '../call-options.ts'
import { queryMethod } from '../method-kinds.ts'
import type { MethodKind } from '../method-kinds.ts'
import type { CompanionCall } from '../safe.ts'
import type { Outputs } from '../types.ts'
import type { InsightNightInput } from './inputs.ts'
import type { InsightNightError } from './errors.ts'

export interface NightsOperations {
  /**
   * How a child's nights go: the week, the last night, and whether it arrived.
   *
   * A night lasts from noon to noon on the clock of the device and has the date of its evening. It is used when a use
   * in it counts, as in `calendar.history`, and its length is the sum of these uses. Without a plan the service's own
   * goal holds. Times of day are in the time zone of the account. Minutes are rounded down.
   *
   * Contract: `GET /api/v1/beta/insight`.
   *
   * @param input
   * - `current_date`: The morning after the last night. Send the date where the user is: without it, it is today in the
   *   time zone of the service. Such as `2026-03-01`.
   * @returns How the nights of a child go.
   * - `current_date`: The morning after the last night.
   * - `week`: The nights of a week, Sunday to Saturday.
   * - `week.first`: A Sunday.
   * - `week.last`: A Saturday.
   * - `week.planned`: The nights of the plan in force on the last evening; 0 is a pause, null: there is no plan.
   * - `week.used`: The nights with a use that counts.
   * - `week.reached`: The nights of which the uses together reach the goal.
   * - `week.median_minutes`: Of the used nights; null without one.
   * - `before`: The nights of a week, Sunday to Saturday.
   * - `before.first`: A Sunday.
   * - `before.last`: A Saturday.
   * - `before.planned`: The nights of the plan in force on the last evening; 0 is a pause, null: there is no plan.
   * - `before.used`: The nights with a use that counts.
   * - `before.reached`: The nights of which the uses together reach the goal.
   * - `before.median_minutes`: Of the used nights; null without one.
   * - `weeks_in_a_row`: Whole weeks, going back from the one before, that all reached their plan; a pause neither
   *   counts nor breaks. At most 104.
   * - `last_night`: Null when it was not used.
   * - `usual_minutes`: Median of the used nights among the 28 before the last one; null with fewer than 5.
   * - `missing`: Null when the night is there, or no device was connected before 18:00 of its evening.
   * @throws 401 `Not authorized user`: the account has no such child, or no right to this
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  insight: (
    input: InsightNightInput,
    options?: CallOptions,
  ) => CompanionCall<Outputs['nights']['insight'], InsightNightError>
}

export const nightsMethods: Record<keyof NightsOperations, MethodKind> = {
  insight: queryMethod,
}
