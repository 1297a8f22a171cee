import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { findClinicInvitation, invitationInvalid, signUpPurpose } from './clinician-invitation.ts'
import { limitFailedGuesses } from './count-failures.ts'
import { creationOptions } from './passkey/passkey.ts'
import { challengeIdField, creationOptionsSchema } from './passkey/webauthn-json.ts'

export const invitationTokenField = z
  .string()
  .meta({ description: 'The parameter `token` of the link in the mail', examples: ['Zk3pYw9q'] })

export const openClinicianInvitation = endpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/clinician/invitation',
    summary: 'Read an invitation to a clinic',
    description: `The page of the link calls it, and makes a passkey by \`options\`, as \`navigator.credentials.create()\` takes them. They are
good for five minutes; the invitation stays open.`,
  },
  [invitationInvalid, [429, 'Too many requests', '100 failures of one IP address within 10 minutes']],
)
  .input(z.object({ token: invitationTokenField }))
  .output(
    z
      .object({
        email: z.string().meta({
          description: 'Where the mail went, and the name of the account',
          examples: ['lee@clinic.example.org'],
        }),
        clinic: z
          .object({
            clinic_id: z.int().meta({ description: 'The id of the clinic' }),
            name: z.string().meta({ description: 'Its name', examples: ['Seoul Sleep Clinic'] }),
          })
          .meta({ id: 'InvitingClinic', description: 'The clinic that invites' }),
        challenge_id: challengeIdField,
        options: creationOptionsSchema,
      })
      .meta({ id: 'OpenClinicInvitation', description: 'An open invitation to work in a clinic' }),
  )
  .use(limitFailedGuesses)
  .mutation(async ({ ctx, input: { token } }) => {
    const { sql, keyRing } = ctx.database
    const invitation = await findClinicInvitation(sql, keyRing, token)
    if (!invitation) throw ctx.failure(...invitationInvalid)
    const challenge = await ctx.tokens.issueChallenge(signUpPurpose(token))
    const { challenge_id } = challenge
    return { ...invitation, challenge_id, options: await creationOptions(ctx, challenge, invitation.email) }
  })
