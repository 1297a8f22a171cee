import { z } from 'zod'
import { ownChildErrors } from '../children/real-user.ts'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { statement } from '../database/statement.ts'
import { id } from '../http/fields.ts'
import { surveyEntry, surveyScores } from './survey.ts'

// The lock keeps a concurrent deletion of the child from leaving this survey behind.
const insertSurvey = statement<{ survey_id: number }>(
  'submit-survey',
  `INSERT INTO survey (real_user_id, attention_score, impulsivity_score, disorder_score, created_at)
   SELECT id, $3, $4, $5, $6 FROM real_user WHERE id = $2 AND root_user_id = $1 AND deleted_at IS NULL FOR SHARE
   RETURNING id AS survey_id`,
)

export const submit = accountEndpoint(
  { method: 'POST', path: '/api/v1/beta/survey', summary: 'Store the scores of a survey about a child' },
  ownChildErrors,
)
  .input(surveyScores.extend({ real_user_id: id }))
  .output(
    surveyEntry
      .extend({ survey_id: z.int() })
      .meta({ id: 'StoredSurvey', description: 'The survey as it was stored' }),
  )
  .mutation(async ({ ctx: { database, caller, failure }, input: { real_user_id, ...scores } }) => {
    const now = new Date()
    const { attention_score, impulsivity_score, disorder_score } = scores
    const [stored] = await database.query(insertSurvey, [
      caller.rootUserId,
      real_user_id,
      attention_score,
      impulsivity_score,
      disorder_score,
      now,
    ])
    if (!stored) throw failure(401, 'Not authorized user')
    return { ...stored, ...scores, created_at: now.toISOString() }
  })
