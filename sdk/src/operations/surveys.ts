import { rawOptions } from '../call-options.ts'
import type { CallOptions } from '../call-options.ts'
import type { CompanionTrpc, LatestSurveysInput, SubmitSurveyInput } from '../types.ts'

export const surveysOperations = (trpc: CompanionTrpc) => ({
  /**
   * Stores the scores of a survey about a child.
   *
   * @param input three integers from 0 on the questionnaire's own scale
   * @returns the stored scores with `survey_id`; `created_at` is ISO 8601 in UTC
   * @throws 401 `Not authorized user`: another account's child
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  submit: (input: SubmitSurveyInput, options?: CallOptions) =>
    trpc.surveys.submit.mutate(input, rawOptions(options)),

  /**
   * The latest five surveys, newest first, of one child or of all children of the account. Contract: Analysis and history
   * endpoints, chart/survey/analysis.
   *
   * @throws 401 `Not authorized user`: another account's child
   * @throws 401 and 423 when the session has ended; see `isSignedOut`
   */
  latest: (input: LatestSurveysInput = {}, options?: CallOptions) =>
    trpc.surveys.latest.query(input, rawOptions(options)),
})
