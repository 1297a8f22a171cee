import { z } from 'zod'
import { integerField } from '../http/fields.ts'

/** The scores of one survey, on the questionnaire's own scale. */
export const surveyScoresSchema = z.object({
  attention_score: integerField(0).meta({ description: "On the questionnaire's own scale" }),
  impulsivity_score: integerField(0).meta({ description: "On the questionnaire's own scale" }),
  disorder_score: integerField(0).meta({ description: "On the questionnaire's own scale" }),
})

/** A survey in the format of the contract. */
export const surveyEntry = surveyScoresSchema
  .extend({ created_at: z.string().meta({ format: 'date-time' }) })
  .meta({ id: 'Survey', description: 'The scores of one survey' })
