import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { recordSecurityEvent } from '../auth/security-record.ts'
import { idField, messageResponseSchema } from '../http/fields.ts'
import { adminErrors, assertStillAdmin, lockClinicAsAdmin } from './member.ts'

export const removeMember = accountEndpoint(
  {
    method: 'DELETE',
    path: '/api/v1/beta/clinic/{clinic_id}/member/{member_id}',
    right: 'self',
    accounts: 'all',
    assertRepeatable: assertStillAdmin,
    summary: 'End somebody’s work in a clinic',
    description:
      'By an admin, who may also mean themselves. The next request of the member for a child of the clinic is refused, and open invitations of the clinic to that address are void.',
  },
  [
    ...adminErrors,
    [404, 'Member not found', 'nobody who works there has this id'],
    [409, 'Last admin', 'it is the only admin of the clinic whose account is not blocked'],
  ],
)
  .input(z.object({ clinic_id: idField, member_id: idField }))
  .output(messageResponseSchema)
  .mutation(async ({ ctx, input: { clinic_id, member_id } }) => {
    const { rootUserId } = ctx.caller
    await ctx.database.transaction(async (tx) => {
      await lockClinicAsAdmin(tx, clinic_id, rootUserId)
      // Erasing the member's account at the same moment ends the membership and the invitations too, in another order.
      await tx
        .selectFrom('root_user')
        .innerJoin('clinic_member', 'root_user_id', 'root_user.id')
        .select('root_user.id')
        .where('clinic_member.id', '=', member_id)
        .where('clinic_id', '=', clinic_id)
        .forShare('root_user')
        .execute()
      const members = await tx
        .selectFrom('clinic_member')
        .innerJoin('root_user', 'root_user.id', 'root_user_id')
        .select(['clinic_member.id', 'role', 'root_user_id', 'blocked_at', 'clinician_email_hash'])
        .where('clinic_id', '=', clinic_id)
        .where('ended_at', 'is', null)
        .execute()
      const member = members.find(({ id }) => id === member_id)
      if (!member) throw ctx.failure(404, 'Member not found')
      // An admin whose account is blocked cannot act.
      const others = members.filter(
        ({ id, role, blocked_at }) => id !== member_id && role === 'admin' && blocked_at === null,
      )
      if (member.role === 'admin' && others.length === 0) throw ctx.failure(409, 'Last admin')
      // Before the membership, as who accepts one takes it. It would let the person in again.
      await tx
        .deleteFrom('clinic_invitation')
        .where('clinic_id', '=', clinic_id)
        .where('email_hash', '=', member.clinician_email_hash)
        .execute()
      await tx
        .updateTable('clinic_member')
        .set({ ended_at: new Date() })
        .where('id', '=', member_id)
        .execute()
      const reason = `clinic ${clinic_id}, by account ${rootUserId}`
      await recordSecurityEvent(tx, ctx, { action: 'clinic_leave', rootUserId: member.root_user_id, reason })
    })
    return { statusCode: 200 as const, message: 'Member removed' }
  })
