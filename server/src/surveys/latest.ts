import { z } from 'zod'
import { indistinctChildErrors } from '../children/real-user.ts'
import { uncheckedAccountEndpoint } from '../auth/account-endpoint.ts'
import { ACCOUNT_STATE, assertActive } from '../auth/account-state.ts'
import type { AccountState } from '../auth/account-state.ts'
import { childWithRoleSql } from '../auth/child-role.ts'
import { batchedRead } from '../database/batched-read.ts'
import { statement } from '../database/statement.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import { idField } from '../http/fields.ts'
import type { Role } from '../http/right.ts'
import { today } from '../time/wall-clock.ts'
import { surveyEntry } from './survey.ts'

type Row = AccountState & { role: Role | null } & (z.infer<typeof surveyEntry> | { created_at: null })

// Without a child, only the caller's own ones are read. The sub-select hides from the planner which, so that one plan is kept for both.
const selectLatestSurveys = batchedRead<Row>(
  'latest-surveys',
  ['int', 'int', 'date'],
  `SELECT ${ACCOUNT_STATE}, latest.attention_score, latest.impulsivity_score, latest.disorder_score,
     ${isoTimestampSql('latest.created_at')} AS created_at, child.role
   FROM root_user u
   LEFT JOIN LATERAL (${childWithRoleSql('$2', 'u.id', '$3')}) child ON true
   LEFT JOIN LATERAL (
     SELECT s.attention_score, s.impulsivity_score, s.disorder_score, s.created_at, s.id
     FROM (
       SELECT id FROM real_user WHERE root_user_id = u.id AND (SELECT $2::int) IS NULL
       UNION ALL
       SELECT child.id WHERE child.role IS NOT NULL
     ) chosen
     CROSS JOIN LATERAL (
       SELECT * FROM surveys_of(chosen.id, '-infinity', 'infinity') ORDER BY created_at DESC, id DESC LIMIT 5
     ) s
     ORDER BY s.created_at DESC, s.id DESC
     LIMIT 5
   ) latest ON true
   WHERE u.id = $1
   ORDER BY latest.created_at DESC, latest.id DESC`,
)

const selectGranted = statement<z.infer<typeof surveyEntry>>(
  'granted-surveys',
  `SELECT s.attention_score, s.impulsivity_score, s.disorder_score, ${isoTimestampSql('s.created_at')} AS created_at
   FROM unnest($1::int[]) child
   CROSS JOIN LATERAL (
     SELECT * FROM surveys_of(child, '-infinity', 'infinity') ORDER BY created_at DESC, id DESC LIMIT 5
   ) s
   ORDER BY s.created_at DESC, s.id DESC
   LIMIT 5`,
)

export const latest = uncheckedAccountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/chart/survey/analysis',
    right: 'viewer',
    accounts: 'all',
    scope: ['surveys:read'],
    summary: 'The latest five surveys, newest first',
    description:
      'They are those of one child or, without `real_user_id`, of all children of the account (for a service, of those granted to it). The surveys of a deleted child are gone.',
  },
  indistinctChildErrors,
)
  .input(z.object({ real_user_id: idField.optional() }))
  .output(
    z
      .object({ survey_analysis: z.array(surveyEntry) })
      .meta({ id: 'LatestSurveys', description: 'At most five surveys, newest first' }),
  )
  .query(async ({ ctx, input: { real_user_id } }) => {
    const { granted } = ctx.caller
    if (granted && real_user_id === undefined) {
      const children = [...granted.children].filter((child) => ctx.mayAccess('owner', child))
      return { survey_analysis: await ctx.database.query(selectGranted, [children]) }
    }
    const values = [ctx.caller.rootUserId, real_user_id ?? null, today(ctx.timeZone)]
    const rows = await ctx.database.query(selectLatestSurveys, values)
    const { role } = assertActive(rows[0], ctx.caller)
    if (real_user_id !== undefined && !ctx.mayAccess(role, real_user_id))
      throw ctx.failure(401, 'Not authorized user')
    return { survey_analysis: rows.filter((row) => row.created_at !== null) }
  })
