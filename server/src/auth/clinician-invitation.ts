import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Sql } from '../database/database.ts'
import type { KeyRing } from '../encryption/key-ring.ts'
import type { ErrorDeclaration } from '../errors/failure.ts'
import { tokenHash } from './tokens/tokens.ts'

/** How long an invitation may be accepted. */
const LIFE_MS = 7 * 86_400_000

/** The path of the page that an invitation's link opens, in the web application of clinics; the token is its parameter `token`. */
export const CLINIC_INVITATION_PAGE = '/clinic/invitation'

/** What somebody is in a clinic. */
export const clinicRoleSchema = z.enum(['admin', 'clinician']).meta({
  description: '`admin`: also invites and removes members, and ends connections; `clinician`: does not',
})

export type ClinicRole = z.infer<typeof clinicRoleSchema>

export const invitationInvalid = [
  400,
  'Invitation is invalid',
  'it is unknown, used, withdrawn or older than seven days',
] as const satisfies ErrorDeclaration

/** Makes an invitation to a clinic in place of an open one for the same e-mail, whose link is void then. */
export async function issueClinicInvitation(
  tx: Sql,
  keyRing: KeyRing,
  { clinic_id, role, email }: { clinic_id: number; role: ClinicRole; email: string },
) {
  const token = randomBytes(32).toString('base64url')
  const created_at = new Date()
  const offer = {
    token_hash: tokenHash(token),
    role,
    email: keyRing.encrypt('clinic_invitation.email', email),
    email_hash: keyRing.index('email', email),
    created_at,
    expires_at: new Date(created_at.getTime() + LIFE_MS),
  }
  const { id } = await tx
    .insertInto('clinic_invitation')
    .values({ clinic_id, ...offer })
    .onConflict((conflict) =>
      conflict.columns(['clinic_id', 'email_hash']).doUpdateSet({ ...offer, id: sql`DEFAULT` }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, token, created_at, expires_at: offer.expires_at }
}

/** Removes an invitation whose mail was not sent. */
export async function discardClinicInvitation(tx: Sql, token: string): Promise<void> {
  await tx.deleteFrom('clinic_invitation').where('token_hash', '=', tokenHash(token)).execute()
}

/** The invitation that `token` opens, if it is still open. */
export async function findClinicInvitation(
  tx: Sql,
  keyRing: KeyRing,
  token: string,
): Promise<{ email: string; clinic: { clinic_id: number; name: string } } | undefined> {
  const found = await tx
    .selectFrom('clinic_invitation')
    .innerJoin('clinic', 'clinic.id', 'clinic_id')
    .select(['email', 'clinic.id as clinic_id', 'clinic.name'])
    .where('token_hash', '=', tokenHash(token))
    .where('expires_at', '>', new Date())
    .executeTakeFirst()
  if (!found) return undefined
  const { email, ...clinic } = found
  return { email: keyRing.decrypt('clinic_invitation.email', email), clinic }
}

/** Uses an open invitation up; of several calls at once one gets it. The clinic is locked first, as by its removal. */
export async function consumeClinicInvitation(tx: Sql, token: string) {
  await tx
    .selectFrom('clinic')
    .select('id')
    .where('id', 'in', (invitation) =>
      invitation
        .selectFrom('clinic_invitation')
        .select('clinic_id')
        .where('token_hash', '=', tokenHash(token)),
    )
    .forShare()
    .execute()
  return tx
    .deleteFrom('clinic_invitation')
    .where('token_hash', '=', tokenHash(token))
    .where('expires_at', '>', new Date())
    .returning(['clinic_id', 'role'])
    .executeTakeFirst()
}

/** What the challenge is for by which the holder of an invitation makes a passkey. */
export const signUpPurpose = (token: string) => `sign up ${tokenHash(token).toString('base64url')}`
