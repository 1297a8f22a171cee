import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import type { ClinicRole } from '../auth/clinician-invitation.ts'
import { statement } from '../database/statement.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import { idField } from '../http/fields.ts'
import { adminErrors, assertAdmin, clinicInvitationSchema, clinicMemberSchema } from './member.ts'

const response = z
  .object({
    members: z.array(clinicMemberSchema).meta({ description: 'In the order of `since`' }),
    invitations: z
      .array(clinicInvitationSchema)
      .meta({ description: 'Open ones, in the order of `created_at`' }),
  })
  .meta({ id: 'ClinicMembers', description: 'Who works in a clinic, and who is invited' })

const selectMembers = statement<z.infer<typeof response> & { role: ClinicRole }>(
  'clinic-members',
  `SELECT own.role, (
     SELECT coalesce(json_agg(json_build_object('member_id', m.id, 'first_name', u.first_name, 'email', coalesce(u.email, ''), 'role', m.role,
       'since', ${isoTimestampSql('m.since')}) ORDER BY m.since, m.id), '[]')
     FROM clinic_member m JOIN root_user u ON u.id = m.root_user_id WHERE m.clinic_id = own.clinic_id AND m.ended_at IS NULL
   ) AS members, (
     SELECT coalesce(json_agg(json_build_object('invitation_id', i.id, 'email', i.email, 'role', i.role,
       'created_at', ${isoTimestampSql('i.created_at')}, 'expires_at', ${isoTimestampSql('i.expires_at')}) ORDER BY i.created_at, i.id), '[]')
     FROM clinic_invitation i WHERE i.clinic_id = own.clinic_id AND i.expires_at > $3
   ) AS invitations
   FROM clinic_member own WHERE own.root_user_id = $1 AND own.clinic_id = $2 AND own.ended_at IS NULL`,
)

export const listMembers = accountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/clinic/{clinic_id}/member',
    right: 'self',
    accounts: 'all',
    summary: 'Who works in a clinic, and who is invited',
    description: 'For its admins.',
  },
  adminErrors,
)
  .input(z.object({ clinic_id: idField }))
  .output(response)
  .query(async ({ ctx, input: { clinic_id } }) => {
    const [found] = await ctx.database.query(selectMembers, [ctx.caller.rootUserId, clinic_id, new Date()])
    assertAdmin(found?.role)
    const { keyRing } = ctx.database
    return {
      members: (found?.members ?? []).map((each) => ({
        ...each,
        first_name: keyRing.decrypt('root_user.first_name', each.first_name),
        email: keyRing.decrypt('root_user.email', each.email),
      })),
      invitations: (found?.invitations ?? []).map((each) => ({
        ...each,
        email: keyRing.decrypt('clinic_invitation.email', each.email),
      })),
    }
  })
