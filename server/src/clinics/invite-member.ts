import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import {
  CLINIC_INVITATION_PAGE,
  clinicRoleSchema,
  discardClinicInvitation,
  issueClinicInvitation,
} from '../auth/clinician-invitation.ts'
import { isEmail } from '../auth/email-address/email-address.ts'
import { nameLoopback } from '../auth/passkey/passkey.ts'
import { recordSecurityEvent } from '../auth/security-record.ts'
import { clinicInvitationMail } from '../delivery/messages.ts'
import { idField, textField } from '../http/fields.ts'
import { preferredLanguage } from '../http/language.ts'
import { adminErrors, assertStillAdmin, clinicInvitationSchema, lockClinicAsAdmin } from './member.ts'

/** The link of an invitation, under the service's base URL. */
export const clinicInvitationLink = (origin: string, token: string): string =>
  `${nameLoopback(origin)}${CLINIC_INVITATION_PAGE}?token=${token}`

export const inviteMember = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/clinic/{clinic_id}/member',
    right: 'self',
    accounts: 'all',
    assertRepeatable: assertStillAdmin,
    summary: 'Invite somebody to work in a clinic, by mail',
    description: `For its admins. The link in the mail works once, and lives seven days. To somebody who works there it gives another passkey, in
place of one that was lost. An open invitation for the same e-mail is replaced. The mail is Korean or English, by \`Accept-Language\`.`,
  },
  [
    [400, 'Email is not valid', 'it is not an e-mail address'],
    ...adminErrors,
    [429, 'Too many requests', '10 invitations of one account within a day'],
    [500, 'Email send failed', 'the mail server failed, and the invitation is void'],
  ],
)
  .input(
    z.object({
      clinic_id: idField,
      // Judged below: the contract's text wins over a validation error.
      email: textField({ most: 320 }).meta({ examples: ['doctor@clinic.example.org'] }),
      role: clinicRoleSchema,
    }),
  )
  .output(clinicInvitationSchema)
  .mutation(async ({ ctx, input: { clinic_id, email, role } }) => {
    const { rootUserId } = ctx.caller
    // Before anything is locked, as it takes a connection of its own.
    await ctx.limits.consume('invitationsPerAccount', String(rootUserId))
    const giveBack = () => ctx.limits.giveBack('invitationsPerAccount', String(rootUserId))
    const { clinic, issued } = await ctx.database
      .transaction(async (tx) => {
        const clinic = await lockClinicAsAdmin(tx, clinic_id, rootUserId)
        if (!isEmail(email)) throw ctx.failure(400, 'Email is not valid')
        const issued = await issueClinicInvitation(tx, ctx.database.keyRing, { clinic_id, role, email })
        const reason = `${role} of clinic ${clinic_id}, invitation ${issued.id}`
        await recordSecurityEvent(tx, ctx, { action: 'clinic_invite', rootUserId, reason })
        return { clinic, issued }
      })
      .catch(async (error: unknown) => {
        await giveBack()
        throw error
      })
    const link = clinicInvitationLink(ctx.request.origin(), issued.token)
    const mail = clinicInvitationMail(preferredLanguage(ctx.request.headers), { link, clinic: clinic.name })
    await ctx.database.onceCommitted(
      (database) =>
        ctx.mail.sendMail({ to: email, link, ...mail }).catch(async (error: unknown) => {
          ctx.log.error({ err: error, request_id: ctx.request.id }, 'mail not sent')
          await discardClinicInvitation(database.sql, issued.token)
          await giveBack()
          throw ctx.failure(500, 'Email send failed')
        }),
      { isNeeded: true },
    )
    return {
      invitation_id: issued.id,
      email,
      role,
      created_at: issued.created_at.toISOString(),
      expires_at: issued.expires_at.toISOString(),
    }
  })
