import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Sql } from '../database/database.ts'
import { tokenHash } from '../auth/tokens/tokens.ts'
import { memberRoleSchema, timestampSchema, membershipUntilSchema } from './member.ts'
import type { MemberRole } from './member.ts'
import { emailConditionSql } from '../encrypted-columns/lookup.ts'
import type { KeyRing } from '../encryption/key-ring.ts'

/** How long an invitation may be accepted. */
const LIFE_MS = 7 * 86_400_000

/** The path of the page that an invitation's link opens; the token is its query parameter `token`. */
export const INVITATION_PAGE = '/invitation'

/** An invitation as its owner sees it; nobody but the invited person sees its token. */
export const invitationSchema = z
  .object({
    invitation_id: z.int(),
    role: memberRoleSchema,
    email: z.string().meta({ description: 'Where the mail went' }),
    until: membershipUntilSchema,
    created_at: timestampSchema,
    expires_at: timestampSchema.meta({ description: 'Seven days after it was sent' }),
  })
  .meta({ id: 'Invitation', description: 'An invitation that nobody has accepted yet' })

export interface InvitationOffer {
  real_user_id: number
  role: MemberRole
  email: string
  until: string | null
}

/** Makes an invitation in place of an open one for the same child and e-mail, whose link is void then. */
export async function issueInvitation(
  tx: Sql,
  keyRing: KeyRing,
  { real_user_id, role, email, until }: InvitationOffer,
) {
  const token = randomBytes(32).toString('base64url')
  const created_at = new Date()
  const offer = {
    token_hash: tokenHash(token),
    role,
    email: keyRing.encrypt('invitation.email', email),
    email_hash: keyRing.index('email', email),
    until,
    created_at,
    expires_at: new Date(created_at.getTime() + LIFE_MS),
  }
  // One that an older version has written has no hash to be in conflict with.
  await tx
    .deleteFrom('invitation')
    .where('real_user_id', '=', real_user_id)
    .where('email_hash', 'is', null)
    .where(emailConditionSql(keyRing, email, 'invitation'))
    .execute()
  const { id } = await tx
    .insertInto('invitation')
    .values({ real_user_id, ...offer })
    .onConflict((conflict) =>
      conflict.columns(['real_user_id', 'email_hash']).doUpdateSet({ ...offer, id: sql`DEFAULT` }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, token, created_at, expires_at: offer.expires_at }
}

/** Removes an invitation whose mail was not sent. */
export async function discardInvitation(sql: Sql, token: string): Promise<void> {
  await sql.deleteFrom('invitation').where('token_hash', '=', tokenHash(token)).execute()
}

/** The invitation that `token` opens on the service's date `today`, if it is still open. */
export const findOpenInvitation = (sql: Sql, token: string, today: string) =>
  sql
    .selectFrom('invitation')
    .innerJoin('real_user', 'real_user.id', 'invitation.real_user_id')
    .innerJoin('root_user', 'root_user.id', 'real_user.root_user_id')
    .select([
      'invitation.id',
      'invitation.real_user_id',
      'invitation.role',
      'invitation.until',
      'real_user.first_name as child',
      'root_user.first_name as owner',
    ])
    .where('token_hash', '=', tokenHash(token))
    .where('expires_at', '>', new Date())
    .where((row) => row.or([row('until', 'is', null), row('until', '>=', today)]))
    .executeTakeFirst()

/** Uses an open invitation up; of several calls at once one gets it. */
export const consumeInvitation = (tx: Sql, token: string, today: string) =>
  tx
    .deleteFrom('invitation')
    .where('token_hash', '=', tokenHash(token))
    .where('expires_at', '>', new Date())
    .where((row) => row.or([row('until', 'is', null), row('until', '>=', today)]))
    .returning(['real_user_id', 'role', 'until'])
    .executeTakeFirst()
