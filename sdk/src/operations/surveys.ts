/* Made of server/openapi.json and sdk/generator/special-operations.ts by `pnpm generate`: change it there. */

import type { CallOptions } from '../call-options.ts'
import { mutationMethod, queryMethod } from '../method-kinds.ts'
import type { MethodKind } from '../method-kinds.ts'
import type { CompanionCall } from '../safe.ts'
import type { LatestSurveys, LatestSurveysInput, SubmittedSurvey } from '../types.ts'
import type { SubmitSurveyInput } from './inputs.ts'
import type { LatestSurveyError, SubmitSurveyError } from './errors.ts'

export interface SurveysOperations {
  /**
   * Store the scores of a survey about a child.
   *
   * Every call stores a new entry, unless it repeats one with the same `Idempotency-Key`. `surveys.latest` answers the
   * newest five.
   *
   * Contract: `POST /api/v1/beta/survey`.
   *
   * @param input
   * - `attention_score`: On the questionnaire's own scale. From 0.
   * - `impulsivity_score`: On the questionnaire's own scale. From 0.
   * - `disorder_score`: On the questionnaire's own scale. From 0.
   * @returns The survey as it was stored.
   * - `created_at`: When it was created, ISO 8601 in UTC.
   * - `survey_id`: The id of the survey.
   * @throws 401 `Not authorized user`: the account has no such child, or no right to this
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  submit: (
    input: SubmitSurveyInput,
    options?: CallOptions,
  ) => CompanionCall<SubmittedSurvey, SubmitSurveyError>

  /**
   * The latest five surveys, newest first.
   *
   * They are those of one child or, without `real_user_id`, of all children of the account (for a service, of those
   * granted to it). The surveys of a deleted child are gone.
   *
   * Contract: `GET /api/v1/beta/chart/survey/analysis`.
   *
   * @returns At most five surveys, newest first.
   * - `survey_analysis`: The surveys.
   * - `survey_analysis[].attention_score`: On the questionnaire's own scale. From 0.
   * - `survey_analysis[].impulsivity_score`: On the questionnaire's own scale. From 0.
   * - `survey_analysis[].disorder_score`: On the questionnaire's own scale. From 0.
   * - `survey_analysis[].created_at`: When it was created, ISO 8601 in UTC.
   * @throws 401 `Not authorized user`: the account has no such child, or no right to this
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  latest: (
    input?: LatestSurveysInput,
    options?: CallOptions,
  ) => CompanionCall<LatestSurveys, LatestSurveyError>
}

export const surveysMethods: Record<keyof SurveysOperations, MethodKind> = {
  submit: mutationMethod,
  latest: queryMethod,
}
