import { sql } from 'kysely'
import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { lockAccount } from '../auth/account-lock.ts'
import { notifyAccountHolder } from '../auth/notice.ts'
import { holderErrors, reauthenticationInput, reauthenticate } from '../auth/reauthenticate.ts'
import { recordSecurityEvent, recordErrorsOfOperation } from '../auth/security-record.ts'
import { lockChild } from '../children/child-lock.ts'
import { childErrors } from '../children/real-user.ts'
import { Failure } from '../errors/failure.ts'
import { accountErrors } from '../errors/generic.ts'
import type { HolderLanguage } from '../http/language.ts'
import { idField } from '../http/fields.ts'
import { today } from '../time/wall-clock.ts'
import { timestampSchema } from './member.ts'
import { OFFER_LIFE_MS } from './transfer-offer.ts'

export const offerTransfer = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/share/transfer',
    right: 'owner',
    summary: 'Offer a child to one of its guardians',
    description: `The guardian gets a mail, and becomes the owner of the child by \`POST /api/v1/beta/share/transfer/accept\` within seven
days. Until then nothing changes. An offer ends with the guardian's membership. Offers count with the invitations of the account.`,
  },
  [
    ...childErrors,
    ...holderErrors,
    [
      404,
      'Share not found',
      'no guardian of the child has this membership; a viewer cannot become its owner',
    ],
    [409, 'Already offered', 'an offer of the child is open: withdraw it first'],
  ],
)
  .use(recordErrorsOfOperation('transfer_offer'))
  .input(
    reauthenticationInput
      .extend({
        real_user_id: idField,
        share_id: idField.meta({ description: "The guardian's membership, from `GET /api/v1/beta/share`" }),
      })
      .meta({ examples: [{ real_user_id: 1, share_id: 1, password: 'correct horse battery staple' }] }),
  )
  .output(
    z
      .object({
        real_user_id: z.int(),
        share_id: z.int(),
        expires_at: timestampSchema.meta({ description: 'Seven days from now' }),
      })
      .meta({ id: 'TransferOffer', description: 'The offer of a child to a guardian' }),
  )
  .mutation(async ({ ctx, input: { real_user_id, share_id, ...proof } }) => {
    const { rootUserId } = ctx.caller
    const { database, timeZone } = ctx
    ctx.concerns(rootUserId)
    const holder = await database.sql
      .selectFrom('root_user')
      .select(['id', 'password_hash'])
      .where('id', '=', rootUserId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    if (!holder) throw new Failure(...accountErrors[1])
    await reauthenticate(ctx, holder, proof)
    await ctx.limits.consume('invitationsPerAccount', String(rootUserId))
    const { owner, guardian, expires_at } = await database
      .transaction(async (tx) => {
        const owner = await lockAccount(tx, rootUserId)
        if (!owner) throw new Failure(...accountErrors[1])
        const child = await lockChild(tx, real_user_id, 'update')
        if (!child) throw ctx.failure(404, 'Real user is not found')
        if (child.root_user_id !== rootUserId) throw ctx.failure(401, 'Not authorized user')
        const date = today(timeZone)
        const {
          rows: [guardian],
        } = await sql<HolderLanguage & { email: string | null }>`
        SELECT u.email, u.language, u.national_code FROM live_child_memberships(${date}) m JOIN root_user u ON u.id = m.root_user_id
        WHERE m.id = ${share_id} AND m.real_user_id = ${real_user_id} AND m.role = 'guardian'`.execute(tx)
        if (!guardian) throw ctx.failure(404, 'Share not found')
        const now = new Date()
        const expires_at = new Date(now.getTime() + OFFER_LIFE_MS)
        const { rows: offered } = await sql`
        INSERT INTO transfer_offer AS o (real_user_id, membership_id, offered_at, expires_at)
        VALUES (${real_user_id}, ${share_id}, ${now}, ${expires_at})
        ON CONFLICT (real_user_id) DO UPDATE
          SET membership_id = excluded.membership_id, offered_at = excluded.offered_at, expires_at = excluded.expires_at
          WHERE o.expires_at <= ${now} OR o.membership_id NOT IN (SELECT id FROM live_child_memberships(${date}))
        RETURNING real_user_id`.execute(tx)
        if (offered.length === 0) throw ctx.failure(409, 'Already offered')
        const reason = `child ${real_user_id}, share ${share_id}`
        await recordSecurityEvent(tx, ctx, { action: 'transfer_offer', rootUserId, reason })
        return { owner, guardian, expires_at }
      })
      .catch(async (error: unknown) => {
        await ctx.limits.giveBack('invitationsPerAccount', String(rootUserId))
        throw error
      })
    const name = database.keyRing.decrypt('root_user.first_name', owner.first_name)
    await notifyAccountHolder(ctx, { kind: 'transfer_offered', name }, guardian)
    return { real_user_id, share_id, expires_at: expires_at.toISOString() }
  })
