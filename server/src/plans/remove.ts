import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { childRoleSql } from '../auth/child-role.ts'
import { statement } from '../database/statement.ts'
import { idField, messageResponseSchema } from '../http/fields.ts'
import type { Role } from '../http/right.ts'
import { today } from '../time/wall-clock.ts'
import { PLAN_COLUMNS } from './plan.ts'
import type { Plan } from './plan.ts'

// Of calls at once, one finds the row that another has locked to be gone.
const removePlan = statement<Plan & { role: Role }>(
  'remove-plan',
  `WITH found AS MATERIALIZED (
     SELECT p.*, ${childRoleSql('$1', '$3')} AS role FROM plan p
     JOIN real_user r ON r.id = p.real_user_id AND r.deleted_at IS NULL
     WHERE p.id = $2 FOR UPDATE OF p
   ), gone AS (
     DELETE FROM plan USING found WHERE plan.id = found.id AND found.role = ANY ($4)
   )
   SELECT ${PLAN_COLUMNS}, p.role FROM found p WHERE p.role IS NOT NULL`,
)

export const remove = accountEndpoint(
  {
    method: 'DELETE',
    path: '/api/v1/beta/plan/{plan_id}',
    right: 'guardian',
    summary: 'Remove a plan',
    description: 'From its first evening on, the plan before it is in force again.',
  },
  [
    [401, 'Not authorized user', 'the caller may only look at the child'],
    [404, 'Plan not found', 'no plan has this id, or it is of a child that is not the caller’s'],
  ],
)
  .input(z.object({ plan_id: idField }))
  .output(messageResponseSchema)
  .mutation(async ({ ctx, input: { plan_id } }) => {
    const [found] = await ctx.database.query(removePlan, [
      ctx.caller.rootUserId,
      plan_id,
      today(ctx.timeZone),
      ctx.allowedRoles,
    ])
    if (!found) throw ctx.failure(404, 'Plan not found')
    const { role, ...removed } = found
    if (!ctx.mayAccess(role, removed.real_user_id)) throw ctx.failure(401, 'Not authorized user')
    ctx.touches(removed.real_user_id, removed)
    return { statusCode: 200 as const, message: 'Plan removed' }
  })
