import { z } from 'zod'
import { uncheckedAccountEndpoint } from '../auth/account-endpoint.ts'
import { ACCOUNT_STATE, assertActive } from '../auth/account-state.ts'
import type { AccountState } from '../auth/account-state.ts'
import { childWithRoleSql } from '../auth/child-role.ts'
import { indistinctChildErrors } from '../children/real-user.ts'
import { batchedRead } from '../database/batched-read.ts'
import { calendarDateField, idField } from '../http/fields.ts'
import type { Role } from '../http/right.ts'
import { today } from '../time/wall-clock.ts'
import { PLAN_COLUMNS, plan } from './plan.ts'
import type { Plan } from './plan.ts'

interface Row extends AccountState {
  role: Role | null
  plans: Plan[]
}

const selectPlans = batchedRead<Row>(
  'plans',
  ['int', 'int', 'date'],
  `SELECT ${ACCOUNT_STATE}, child.role, found.plans
   FROM root_user u
   LEFT JOIN LATERAL (${childWithRoleSql('$2', 'u.id', '$3')}) child ON true
   CROSS JOIN LATERAL (
     SELECT coalesce(json_agg(planned ORDER BY planned.from), '[]') AS plans
     FROM (SELECT ${PLAN_COLUMNS} FROM plan p WHERE p.real_user_id = child.id AND child.role IS NOT NULL) planned
   ) found
   WHERE u.id = $1`,
)

export const list = uncheckedAccountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/plan',
    right: 'viewer',
    accounts: 'all',
    scope: ['usage:read'],
    summary: 'What is planned for a child, now and before',
    description:
      'A plan is in force until the next one begins, so a past evening keeps the goal of its time.',
  },
  indistinctChildErrors,
)
  .input(
    z.object({
      real_user_id: idField,
      current_date: calendarDateField.optional().meta({
        description:
          'The evening of `current`. Send the date where the user is: without it, it is today in the time zone of the service',
      }),
    }),
  )
  .output(
    z
      .object({
        current: plan.nullable().meta({ description: 'The newest that has begun; null without one' }),
        plans: z.array(plan).meta({ description: 'Ascending by `from`' }),
      })
      .meta({ id: 'Plans', description: 'The plans of a child' }),
  )
  .query(async ({ ctx, input: { real_user_id, current_date } }) => {
    const now = today(ctx.timeZone)
    const [row] = await ctx.database.query(selectPlans, [ctx.caller.rootUserId, real_user_id, now])
    const { role, plans } = assertActive(row, ctx.caller)
    if (!ctx.mayAccess(role, real_user_id)) throw ctx.failure(401, 'Not authorized user')
    const day = current_date ?? now
    return { current: plans.findLast(({ from }) => from <= day) ?? null, plans }
  })
