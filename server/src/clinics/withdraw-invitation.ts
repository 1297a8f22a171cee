import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { recordSecurityEvent } from '../auth/security-record.ts'
import { idField, messageResponseSchema } from '../http/fields.ts'
import { adminErrors, assertStillAdmin, lockClinicAsAdmin } from './member.ts'

export const withdrawInvitation = accountEndpoint(
  {
    method: 'DELETE',
    path: '/api/v1/beta/clinic/{clinic_id}/invitation/{invitation_id}',
    right: 'self',
    accounts: 'all',
    assertRepeatable: assertStillAdmin,
    summary: 'Withdraw an invitation to work in a clinic',
    description: 'For its admins, such as after a wrong address. The link of the invitation is void at once.',
  },
  [
    ...adminErrors,
    [404, 'Invitation not found', 'the clinic has no such open invitation: it may have been accepted'],
  ],
)
  .input(z.object({ clinic_id: idField, invitation_id: idField }))
  .output(messageResponseSchema)
  .mutation(async ({ ctx, input: { clinic_id, invitation_id } }) => {
    const { rootUserId } = ctx.caller
    await ctx.database.transaction(async (tx) => {
      await lockClinicAsAdmin(tx, clinic_id, rootUserId)
      const withdrawn = await tx
        .deleteFrom('clinic_invitation')
        .where('id', '=', invitation_id)
        .where('clinic_id', '=', clinic_id)
        .where('expires_at', '>', new Date())
        .returning('role')
        .executeTakeFirst()
      if (!withdrawn) throw ctx.failure(404, 'Invitation not found')
      const reason = `${withdrawn.role} of clinic ${clinic_id}, invitation ${invitation_id}`
      await recordSecurityEvent(tx, ctx, { action: 'clinic_withdraw', rootUserId, reason })
    })
    return { statusCode: 200 as const, message: 'Invitation withdrawn' }
  })
