import { z } from 'zod'
import { clinicRoleSchema } from '../auth/clinician-invitation.ts'
import type { ClinicRole } from '../auth/clinician-invitation.ts'
import type { Sql } from '../database/database.ts'
import { Failure } from '../errors/failure.ts'
import type { ErrorDeclaration } from '../errors/failure.ts'

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

export async function clinicRoleOf(
  tx: Sql,
  clinicId: number,
  rootUserId: number,
): Promise<ClinicRole | undefined> {
  const member = await tx
    .selectFrom('clinic_member')
    .select('role')
    .where('root_user_id', '=', rootUserId)
    .where('clinic_id', '=', clinicId)
    .where('ended_at', 'is', null)
    .executeTakeFirst()
  return member?.role
}

/** Throws for somebody of this role in a clinic, or of none, unless they are an admin. */
export function assertAdmin(role: ClinicRole | undefined): void {
  if (role === undefined) throw new Failure(...adminErrors[0])
  if (role !== 'admin') throw new Failure(...adminErrors[1])
}
