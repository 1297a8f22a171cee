import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { clinicRoleSchema } from '../auth/clinician-invitation.ts'
import { statement } from '../database/statement.ts'
import { noFieldsSchema } from '../http/fields.ts'

const membership = z
  .object({
    clinic_id: z.int().meta({ description: 'The id of the clinic' }),
    name: z.string().meta({ description: 'Of the clinic', examples: ['Seoul Sleep Clinic'] }),
    role: clinicRoleSchema,
  })
  .meta({ id: 'ClinicMembership', description: 'A clinic where the account works' })

const selectMemberships = statement<z.infer<typeof membership>>(
  'clinic-memberships',
  `SELECT k.id AS clinic_id, k.name, m.role FROM clinic_member m JOIN clinic k ON k.id = m.clinic_id
   WHERE m.root_user_id = $1 AND m.ended_at IS NULL ORDER BY m.since, m.id`,
)

export const listMemberships = accountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/clinic/membership',
    right: 'self',
    accounts: 'clinicians',
    summary: 'The clinics where the account works',
    description: 'The longest first.',
  },
  [],
)
  .input(noFieldsSchema)
  .output(z.array(membership))
  .query(({ ctx }) => ctx.database.query(selectMemberships, [ctx.caller.rootUserId]))
