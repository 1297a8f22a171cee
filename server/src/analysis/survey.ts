import { z } from 'zod'
import { integer } from '../http/fields.ts'

/** The scores of one survey; the scale is the questionnaire's own. */
export const surveyScores = z.object({
  attention_score: integer(0),
  impulsivity_score: integer(0),
  disorder_score: integer(0),
})

/** A survey as the analysis answers it. */
export const surveyEntry = surveyScores.extend({ created_at: z.string().meta({ format: 'date-time' }) })
