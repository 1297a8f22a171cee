import { z } from 'zod'
import { clinicRoleSchema } from '../auth/clinician-invitation.ts'
import type { ClinicRole } from '../auth/clinician-invitation.ts'
import { indistinctChildErrors } from '../children/real-user.ts'
import type { Sql } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { Failure } from '../errors/failure.ts'
import type { ErrorDeclaration } from '../errors/failure.ts'
import type { Repeat } from '../http/endpoint.ts'
import { rawIdField } from '../http/fields.ts'

/** How an operation of the members of a clinic may be refused. */
export const clinicErrors = [
  [404, 'Clinic not found', 'there is none with this id, or the caller does not work there'],
] as const satisfies readonly ErrorDeclaration[]

/** The same of one for admins. */
export const adminErrors = [
  ...clinicErrors,
  [401, 'Not authorized user', 'the caller works there, and is no admin'],
] as const satisfies readonly ErrorDeclaration[]

const timestamp = z.string().meta({ format: 'date-time' })

/** Somebody who works in a clinic, as its admins see them. */
export const clinicMemberSchema = z
  .object({
    member_id: z.int().meta({ description: 'The id of the membership' }),
    first_name: z.string(),
    email: z.string(),
    role: clinicRoleSchema,
    since: timestamp.meta({ description: 'When it began' }),
  })
  .meta({ id: 'ClinicMember', description: 'Somebody who works in a clinic' })

/** An invitation to a clinic, as its admins see it. */
export const clinicInvitationSchema = z
  .object({
    invitation_id: z.int(),
    email: z.string().meta({ description: 'Where the mail went' }),
    role: clinicRoleSchema,
    created_at: timestamp,
    expires_at: timestamp.meta({ description: 'Seven days after it was sent' }),
  })
  .meta({ id: 'ClinicInvitation', description: 'An invitation to a clinic that nobody has accepted yet' })

/** Throws unless the account is an admin of the clinic, which is locked until the transaction ends: others who change its members wait. */
export async function lockClinicAsAdmin(
  tx: Sql,
  clinicId: number,
  rootUserId: number,
): Promise<{ name: string }> {
  const clinic = await tx
    .selectFrom('clinic')
    .select('name')
    .where('id', '=', clinicId)
    .where('removed_at', 'is', null)
    .forNoKeyUpdate()
    .executeTakeFirst()
  assertAdmin(clinic && (await clinicRoleOf(tx, clinicId, rootUserId)))
  if (!clinic) throw new Failure(...adminErrors[0])
  return clinic
}

/** What an account is in a clinic, if it works there; `lock` keeps that as it is until the transaction ends. */
export async function clinicRoleOf(
  tx: Sql,
  clinicId: number,
  rootUserId: number,
  { lock = false } = {},
): Promise<ClinicRole | undefined> {
  const member = await tx
    .selectFrom('clinic_member')
    .select('role')
    .where('root_user_id', '=', rootUserId)
    .where('clinic_id', '=', clinicId)
    .where('ended_at', 'is', null)
    .$if(lock, (query) => query.forShare())
    .executeTakeFirst()
  return member?.role
}

const named = z.object({
  clinic_id: rawIdField,
  member_id: rawIdField.optional(),
  real_user_id: rawIdField.optional(),
})

const selectWork = statement<{ role: ClinicRole; is_connected: boolean }>(
  'work-of-repeat',
  `SELECT role, EXISTS (SELECT FROM live_clinic_connections($4::date) WHERE clinic_id = $2 AND real_user_id = $5) AS is_connected
   FROM clinic_member WHERE root_user_id = $1 AND clinic_id = $2 AND (ended_at IS NULL OR id = $3)
   ORDER BY ended_at IS NULL DESC`,
)

/** A repeat is answered while the caller works in the clinic, and it is let in to the child; and to those who have ended their own work. */
const repeatableWhile =
  (assertRole: (role: ClinicRole | undefined) => void) =>
  async ({ database, rootUserId, today, rawInput }: Repeat): Promise<void> => {
    const { data } = named.safeParse(rawInput)
    // It was refused as such.
    if (!data) return
    const { clinic_id, member_id = null, real_user_id = null } = data
    const [work] = await database.query(selectWork, [rootUserId, clinic_id, member_id, today, real_user_id])
    assertRole(work?.role)
    if (real_user_id !== null && !work?.is_connected) throw new Failure(...indistinctChildErrors[0])
  }

/** For `assertRepeatable` of an operation of the members of a clinic. */
export const assertStillMember = repeatableWhile((role) => {
  if (role === undefined) throw new Failure(...clinicErrors[0])
})

/** The same of one for admins. */
export const assertStillAdmin = repeatableWhile(assertAdmin)

/** Throws for somebody of this role in a clinic, or of none, unless they are an admin. */
export function assertAdmin(role: ClinicRole | undefined): void {
  if (role === undefined) throw new Failure(...adminErrors[0])
  if (role !== 'admin') throw new Failure(...adminErrors[1])
}
