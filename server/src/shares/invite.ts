import { sql } from 'kysely'
import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { lockAccount } from '../auth/account-lock.ts'
import { isEmail } from '../auth/email-address/email-address.ts'
import { recordSecurityEvent } from '../auth/security-record.ts'
import { lockChild } from '../children/child-lock.ts'
import { childErrors } from '../children/real-user.ts'
import { invitationMail } from '../delivery/messages.ts'
import { Failure } from '../errors/failure.ts'
import { accountErrors } from '../errors/generic.ts'
import { calendarDateField, idField, textField } from '../http/fields.ts'
import { preferredLanguage } from '../http/language.ts'
import { InvalidInput } from '../http/validation-issues.ts'
import { today } from '../time/wall-clock.ts'
import { discardInvitation, INVITATION_PAGE, invitationSchema, issueInvitation } from './invitation.ts'
import { memberRoleSchema } from './member.ts'
import { emailConditionSql } from '../encrypted-columns/lookup.ts'

export const invite = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/share/invitation',
    right: 'owner',
    summary: 'Invite somebody to a child by mail',
    description: `The link in the mail opens a page of this service, works once, and lives seven days. It may be accepted by any
account but the owner's, also by one with another e-mail. An open invitation for the same child and e-mail is replaced.
The mail is Korean or English, by \`Accept-Language\` or else by the country of the account.`,
  },
  [
    [400, 'Email is not valid', 'it is not an e-mail address'],
    ...childErrors,
    [409, 'Already shared', 'the account with this e-mail is a member of the child, or its owner'],
    [429, 'Too many requests', '10 invitations of one account within a day'],
    [500, 'Email send failed', 'the mail server failed, and the invitation is void'],
  ],
)
  .input(
    z.object({
      real_user_id: idField,
      role: memberRoleSchema,
      // Judged below: the contract's text wins over a validation error.
      email: textField({ most: 320 }).meta({ examples: ['grandmother@example.com'] }),
      until: calendarDateField
        .nullish()
        .meta({ description: 'The last day of the membership, today or later; without it, there is no end' }),
    }),
  )
  .output(
    invitationSchema
      .extend({ real_user_id: z.int() })
      .meta({ id: 'SentInvitation', description: 'The invitation that was sent' }),
  )
  .mutation(async ({ ctx, input }) => {
    const { real_user_id, role, email, until = null } = input
    const { rootUserId } = ctx.caller
    const date = today(ctx.timeZone)
    if (!isEmail(email)) throw ctx.failure(400, 'Email is not valid')
    if (until !== null && until < date) throw new InvalidInput(['until'], 'must be today or later')
    // Before anything is locked, as it takes a connection of its own.
    await ctx.limits.consume('invitationsPerAccount', String(rootUserId))
    const giveBack = () => ctx.limits.giveBack('invitationsPerAccount', String(rootUserId))
    const { owner, ...issued } = await ctx.database
      .transaction(async (tx) => {
        const owner = await lockAccount(tx, rootUserId)
        // It was there when the token was checked: a parallel call has deleted it.
        if (!owner) throw new Failure(...accountErrors[1])
        const child = await lockChild(tx, real_user_id, 'share')
        if (!child) throw ctx.failure(404, 'Real user is not found')
        if (child.root_user_id !== rootUserId) throw ctx.failure(401, 'Not authorized user')
        const { rows: invited } = await sql`
        SELECT FROM root_user u WHERE ${emailConditionSql(ctx.database.keyRing, email, 'u')}
          AND (u.id = ${rootUserId} OR child_role_of_non_owner(${real_user_id}, u.id, ${date}) IS NOT NULL)`.execute(
          tx,
        )
        if (invited.length > 0) throw ctx.failure(409, 'Already shared')
        const issued = await issueInvitation(tx, ctx.database.keyRing, { real_user_id, role, email, until })
        const reason = `${role} of child ${real_user_id}, invitation ${issued.id}`
        await recordSecurityEvent(tx, ctx, { action: 'share_invite', rootUserId, reason })
        return { owner, ...issued }
      })
      .catch(async (error: unknown) => {
        await giveBack()
        throw error
      })
    const language = preferredLanguage(ctx.request.headers, owner.national_code)
    const link = `${ctx.request.origin()}${INVITATION_PAGE}?token=${issued.token}`
    const inviter = ctx.database.keyRing.decrypt('root_user.first_name', owner.first_name)
    const mail = invitationMail(language, { link, inviter, role, until })
    await ctx.database.onceCommitted(
      (database) =>
        ctx.mail.sendMail({ to: email, link, ...mail }).catch(async (error: unknown) => {
          ctx.log.error({ err: error, request_id: ctx.request.id }, 'mail not sent')
          await discardInvitation(database.sql, issued.token)
          await giveBack()
          throw ctx.failure(500, 'Email send failed')
        }),
      { isNeeded: true },
    )
    return {
      invitation_id: issued.id,
      real_user_id,
      role,
      email,
      until,
      created_at: issued.created_at.toISOString(),
      expires_at: issued.expires_at.toISOString(),
    }
  })
