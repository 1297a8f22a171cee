import type { Outputs } from '@companion/sdk'
import type { ScoreName } from './survey-scores'

export type Survey = Outputs['surveys']['latest']['survey_analysis'][number]

export interface ScoreTrend {
  /** Ascending by date; at least one. */
  values: number[]
  /** How much higher the newest score is than the oldest; undefined with a single survey. Lower is better. */
  change: number | undefined
}

/** One score over the surveys, which come newest first. */
export function scoreTrend(surveys: readonly Survey[], score: ScoreName): ScoreTrend {
  const values = surveys.map((survey) => survey[score]).reverse()
  const [first = 0] = values
  return { values, change: values.length < 2 ? undefined : (values.at(-1) ?? 0) - first }
}
