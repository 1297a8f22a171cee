import { accountEndpoint } from '../auth/account-endpoint.ts'
import { idField } from '../http/fields.ts'
import { plan } from '../plans/plan.ts'
import { firstEvening, newPlanSchema, storePlan, tooManyPlans } from '../plans/store-plan.ts'
import { today } from '../time/wall-clock.ts'
import { clinicChildErrors, lockConnectedChild } from './connected-child.ts'
import { assertStillMember } from './member.ts'

export const planNights = accountEndpoint(
  {
    method: 'PUT',
    path: '/api/v1/beta/clinic/{clinic_id}/child/{real_user_id}/plan',
    right: 'viewer',
    accounts: 'all',
    assertRepeatable: assertStillMember,
    summary: 'Plan the nights of a child of a clinic from an evening on',
    description: `For those who work there. It is the plan that parents set by \`PUT /api/v1/beta/plan\`, and the one that they see: \`set_by\` tells them
that it is the clinic's.`,
  },
  [...clinicChildErrors, tooManyPlans],
)
  .input(newPlanSchema.extend({ clinic_id: idField, real_user_id: idField }))
  .output(plan)
  .mutation(async ({ ctx, input: { clinic_id, real_user_id, from, ...planned } }) => {
    const { rootUserId } = ctx.caller
    const now = today(ctx.timeZone)
    const evening = firstEvening(from, now)
    return ctx.database.transaction(async (tx) => {
      await lockConnectedChild(tx, { clinicId: clinic_id, realUserId: real_user_id, rootUserId, today: now })
      ctx.mayAccess('viewer', real_user_id)
      const { stored, replaced } = await storePlan(tx, real_user_id, evening, {
        ...planned,
        set_by: 'clinic',
      })
      ctx.touches(real_user_id, replaced)
      return stored
    })
  })
