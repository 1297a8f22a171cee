/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { CallOptions } from '../call-options.ts'
import { mutationMethod, queryMethod } from '../method-kinds.ts'
import type { MethodKind } from '../method-kinds.ts'
import type { CompanionCall } from '../safe.ts'
import type { Done, Outputs } from '../types.ts'
import type { ListPlanInput, RemovePlanInput, SetPlanInput } from './inputs.ts'
import type { ListPlanError, RemovePlanError, SetPlanError } from './errors.ts'

export interface PlansOperations {
  /**
   * What is planned for a child, now and before.
   *
   * A plan is in force until the next one begins, so a past evening keeps the goal of its time.
   *
   * Contract: `GET /api/v1/beta/plan`.
   *
   * @param input
   * - `current_date`: The evening of `current`. Send the date where the user is: without it, it is today in the time
   *   zone of the service. Such as `2026-03-01`.
   * @returns The plans of a child.
   * - `current`: The newest that has begun; null without one.
   * - `plans`: Ascending by `from`.
   * - `plans[].nights_per_week`: How many nights of a week, Sunday to Saturday, should reach the goal; 0 is a pause.
   *   From 0 to 7.
   * - `plans[].minutes`: The use in one night that reaches the goal. From 1 to 1,440.
   * - `plans[].plan_id`: Its id, kept when it is replaced.
   * - `plans[].real_user_id`: The id of the child.
   * - `plans[].from`: The first evening that it is in force.
   * - `plans[].bedtime`: On the clock of the family. A time before noon is on the date after the evening. Null: none is
   *   planned.
   * - `plans[].set_by`: Who has set it last.
   * - `plans[].set_at`: When it was set last.
   * @throws 401 `Not authorized user`: the account has no such child, or no right to this
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  list: (
    input: ListPlanInput,
    options?: CallOptions,
  ) => CompanionCall<Outputs['plans']['list'], ListPlanError>

  /**
   * Plan the nights of a child from an evening on.
   *
   * The plan of the same child and evening is replaced and keeps its id. `nights_per_week` 0 is a pause, as for a
   * holiday: the weeks of a pause count neither for nor against the child.
   *
   * Contract: `PUT /api/v1/beta/plan`.
   *
   * @param input
   * - `nights_per_week`: How many nights of a week, Sunday to Saturday, should reach the goal; 0 is a pause. From 0 to
   *   7.
   * - `minutes`: The use in one night that reaches the goal. From 1 to 1,440.
   * - `bedtime`: On the clock of the family. A time before noon is on the date after the evening. Null: none is
   *   planned. Default: null.
   * - `from`: The first evening; without it, today in the time zone of the service. At most 366 days before or after
   *   today. Such as `2026-03-01`.
   * @returns What is planned for a child from an evening on, until the next plan begins.
   * - `plan_id`: Its id, kept when it is replaced.
   * - `real_user_id`: The id of the child.
   * - `from`: The first evening that it is in force.
   * - `bedtime`: On the clock of the family. A time before noon is on the date after the evening. Null: none is
   *   planned.
   * - `set_by`: Who has set it last.
   * - `set_at`: When it was set last.
   * @throws 401 `Not authorized user`: the account has no such child, or no right to this
   * @throws 409 `Too many plans`: the child has 100 plans, and none that begins on this evening
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  set: (input: SetPlanInput, options?: CallOptions) => CompanionCall<Outputs['plans']['set'], SetPlanError>

  /**
   * Remove a plan.
   *
   * From its first evening on, the plan before it is in force again.
   *
   * Contract: `DELETE /api/v1/beta/plan/{plan_id}`.
   *
   * @throws 401 `Not authorized user`: the caller may only look at the child
   * @throws 404 `Plan not found`: no plan has this id, or it is of a child that is not the caller’s
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  remove: (input: RemovePlanInput, options?: CallOptions) => CompanionCall<Done, RemovePlanError>
}

export const plansMethods: Record<keyof PlansOperations, MethodKind> = {
  list: queryMethod,
  set: mutationMethod,
  remove: mutationMethod,
}
