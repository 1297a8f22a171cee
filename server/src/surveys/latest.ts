import { z } from 'zod'
import { ownChildErrors } from '../children/real-user.ts'
import { ACCOUNT_STATE, assertActive, tokenEndpoint } from '../auth/account-endpoint.ts'
import type { AccountState } from '../auth/account-endpoint.ts'
import { shortRead } from '../database/short-read.ts'
import { wireTime } from '../database/wire-time.ts'
import { id } from '../http/fields.ts'
import { surveyEntry } from './survey.ts'

type Row = AccountState & { is_own: boolean } & (z.infer<typeof surveyEntry> | { created_at: null })

const selectLatestSurveys = shortRead<Row>(
  'latest-surveys',
  ['int', 'int'],
  `SELECT ${ACCOUNT_STATE}, latest.attention_score, latest.impulsivity_score, latest.disorder_score,
     ${wireTime('latest.created_at')} AS created_at, $2::int IS NULL OR EXISTS (
     SELECT FROM real_user WHERE id = $2 AND root_user_id = u.id AND deleted_at IS NULL
   ) AS is_own
   FROM root_user u
   LEFT JOIN LATERAL (
     SELECT s.attention_score, s.impulsivity_score, s.disorder_score, s.created_at, s.id
     FROM real_user r
     CROSS JOIN LATERAL (
       SELECT * FROM survey WHERE real_user_id = r.id ORDER BY created_at DESC, id DESC LIMIT 5
     ) s
     WHERE r.root_user_id = u.id AND r.id = coalesce($2, r.id)
     ORDER BY s.created_at DESC, s.id DESC
     LIMIT 5
   ) latest ON true
   WHERE u.id = $1
   ORDER BY latest.created_at DESC, latest.id DESC`,
)

export const latest = tokenEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/chart/survey/analysis',
    summary: 'The latest five surveys, newest first',
    description:
      'They are those of one child or, without `real_user_id`, of all children of the account. The surveys of a deleted child are gone.',
  },
  ownChildErrors,
)
  .input(z.object({ real_user_id: id.optional() }))
  .output(
    z
      .object({ survey_analysis: z.array(surveyEntry) })
      .meta({ id: 'LatestSurveys', description: 'At most five surveys, newest first' }),
  )
  .query(async ({ ctx, input: { real_user_id } }) => {
    const rows = await ctx.database.query(selectLatestSurveys, [ctx.caller.rootUserId, real_user_id ?? null])
    if (!assertActive(rows[0], ctx.caller).is_own) throw ctx.failure(401, 'Not authorized user')
    return { survey_analysis: rows.filter((row) => row.created_at !== null) }
  })
