import { accountEndpoint } from '../auth/account-endpoint.ts'
import { lockChildAndReadRole } from '../children/child-lock.ts'
import { indistinctChildErrors } from '../children/real-user.ts'
import { idField } from '../http/fields.ts'
import { today } from '../time/wall-clock.ts'
import { plan } from './plan.ts'
import { firstEvening, newPlanSchema, storePlan, tooManyPlans } from './store-plan.ts'

export const set = accountEndpoint(
  {
    method: 'PUT',
    path: '/api/v1/beta/plan',
    right: 'guardian',
    summary: 'Plan the nights of a child from an evening on',
    description: `The plan of the same child and evening is replaced and keeps its id. \`nights_per_week\` 0 is a pause, as for a holiday: the
weeks of a pause count neither for nor against the child.`,
  },
  [...indistinctChildErrors, tooManyPlans],
)
  .input(newPlanSchema.extend({ real_user_id: idField }))
  .output(plan)
  .mutation(async ({ ctx, input: { real_user_id, from, ...planned } }) => {
    const { rootUserId } = ctx.caller
    const now = today(ctx.timeZone)
    const evening = firstEvening(from, now)
    return ctx.database.transaction(async (tx) => {
      // Others who plan for the child wait, so that its plans can be counted.
      const child = await lockChildAndReadRole(tx, real_user_id, { rootUserId, today: now }, 'update')
      if (!child || !ctx.mayAccess(child.role, real_user_id)) throw ctx.failure(401, 'Not authorized user')
      const { stored, replaced } = await storePlan(tx, real_user_id, evening, {
        ...planned,
        set_by: 'parent',
      })
      ctx.touches(real_user_id, replaced)
      return stored
    })
  })
