import { z } from 'zod'
import { indistinctChildErrors } from '../children/real-user.ts'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { childRoleSql } from '../auth/child-role.ts'
import { statement } from '../database/statement.ts'
import { idField } from '../http/fields.ts'
import type { Role } from '../http/right.ts'
import { today } from '../time/wall-clock.ts'
import { surveyEntry, surveyScoresSchema } from './survey.ts'

// The lock keeps a concurrent deletion of the child from leaving this survey behind.
const insertSurvey = statement<{ role: Role; survey_id: number }>(
  'submit-survey',
  `WITH child AS MATERIALIZED (
     SELECT r.id, ${childRoleSql('$1', '$7')} AS role FROM real_user r WHERE r.id = $2 AND r.deleted_at IS NULL FOR SHARE
   )
   SELECT role, add_survey(id, $3, $4, $5, $6) AS survey_id FROM child WHERE role = ANY ($8)`,
)

export const submit = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/survey',
    right: 'guardian',
    summary: 'Store the scores of a survey about a child',
    description:
      'Every call stores a new entry, unless it repeats one with the same `Idempotency-Key`. `GET /api/v1/beta/chart/survey/analysis` answers the newest five.',
  },
  indistinctChildErrors,
)
  .input(surveyScoresSchema.extend({ real_user_id: idField }))
  .output(
    surveyEntry
      .extend({ survey_id: z.int() })
      .meta({ id: 'StoredSurvey', description: 'The survey as it was stored' }),
  )
  .mutation(async ({ ctx, input: { real_user_id, ...scores } }) => {
    const now = new Date()
    const { attention_score, impulsivity_score, disorder_score } = scores
    const [stored] = await ctx.database.query(insertSurvey, [
      ctx.caller.rootUserId,
      real_user_id,
      attention_score,
      impulsivity_score,
      disorder_score,
      now,
      today(ctx.timeZone),
      ctx.allowedRoles,
    ])
    if (!stored || !ctx.mayAccess(stored.role, real_user_id)) throw ctx.failure(401, 'Not authorized user')
    return { survey_id: stored.survey_id, ...scores, created_at: now.toISOString() }
  })
