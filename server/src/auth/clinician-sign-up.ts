import { z } from 'zod'
import type { Sql } from '../database/database.ts'
import { emailColumns } from '../encrypted-columns/lookup.ts'
import type { KeyRing } from '../encryption/key-ring.ts'
import { encryptPerson } from '../encryption/person.ts'
import { endpoint } from '../http/endpoint.ts'
import { nameField } from '../http/fields.ts'
import { preferredLanguage } from '../http/language.ts'
import { stateErrors } from './admission.ts'
import {
  consumeClinicInvitation,
  findClinicInvitation,
  invitationInvalid,
  signUpPurpose,
} from './clinician-invitation.ts'
import { limitFailedGuesses } from './count-failures.ts'
import { notifyAccountHolder } from './notice.ts'
import { invitationTokenField } from './open-clinician-invitation.ts'
import { addKnownIpAddress } from './password/known-ip-address.ts'
import { passkeyNotValid, storePasskey, verifyNewPasskey } from './passkey/passkey.ts'
import { challengeIdField, newCredentialSchema } from './passkey/webauthn-json.ts'
import { recordErrorsOfOperation, recordSecurityEvent } from './security-record.ts'
import { CLINICIAN_ACCOUNT_TYPE, startSession } from './tokens/session.ts'
import { sessionResponseSchema } from './tokens/token-response.ts'
import { useToken } from './tokens/use-token.ts'

const [, , , blocked] = stateErrors

export const clinicianSignUp = endpoint(
  {
    method: 'POST',
    path: '/api/v1/alpha/auth/clinician/signup',
    summary: 'Accept an invitation to a clinic by a new passkey',
    description: `Makes the account of a clinician, or gives the one with this e-mail the work in the clinic and another passkey, and signs in.
A parent's account with the same e-mail is another one, and is not touched.`,
  },
  [
    invitationInvalid,
    passkeyNotValid,
    blocked,
    [429, 'Too many requests', '100 failures of one IP address within 10 minutes'],
  ],
)
  .use(recordErrorsOfOperation('clinician_sign_up'))
  .input(
    z.object({
      token: invitationTokenField,
      challenge_id: challengeIdField,
      first_name: nameField.meta({
        description: 'The full name, as parents read it; a known account keeps its own',
      }),
      credential: newCredentialSchema,
    }),
  )
  .output(sessionResponseSchema)
  .use(limitFailedGuesses)
  .mutation(async ({ ctx, input: { token, challenge_id, first_name, credential } }) => {
    const { keyRing } = ctx.database
    const open = await findClinicInvitation(ctx.database.sql, keyRing, token)
    if (!open) throw ctx.failure(...invitationInvalid)
    const challenge = await ctx.tokens.verifyChallenge(signUpPurpose(token), challenge_id)
    const made = challenge && (await verifyNewPasskey(ctx, challenge.challenge, credential))
    if (!made) throw ctx.failure(...passkeyNotValid)
    const { account, isNew, session } = await ctx.database.transaction(async (tx) => {
      if (!(await useToken(tx, challenge))) throw ctx.failure(...passkeyNotValid)
      const language = preferredLanguage(ctx.request.headers) === 'ko' ? 'KR' : 'EN'
      // Before the invitation, in the order in which an erasure takes both.
      const { account, isNew } = await accountOf(tx, keyRing, { email: open.email, first_name, language })
      const invitation = await consumeClinicInvitation(tx, token)
      // With the account, those to its address are erased.
      if (!invitation || !account) throw ctx.failure(...invitationInvalid)
      if (account.blocked_at) throw ctx.failure(...blocked)
      const member = await tx
        .insertInto('clinic_member')
        .values({
          clinic_id: invitation.clinic_id,
          root_user_id: account.id,
          role: invitation.role,
          since: new Date(),
        })
        // A person who works there already keeps their role.
        .onConflict((conflict) => conflict.doNothing())
        .returning('role')
        .executeTakeFirst()
      await storePasskey(tx, account.id, made, null)
      await addKnownIpAddress(tx, ctx, account.id)
      const reason = `${member ? member.role : 'another passkey for a member'} of clinic ${invitation.clinic_id}`
      await recordSecurityEvent(tx, ctx, { action: 'clinician_sign_up', rootUserId: account.id, reason })
      const session = await startSession(tx, ctx.tokens, {
        ...account,
        register_type: CLINICIAN_ACCOUNT_TYPE,
      })
      return { account, isNew, session }
    })
    if (!isNew) await notifyAccountHolder(ctx, 'passkey_added', account)
    return { ...session, token_type: 'bearer' as const, id: account.id }
  })

/** Makes the account of a clinician, or locks the one that has this e-mail; none if that was erased in this moment. */
async function accountOf(
  tx: Sql,
  keyRing: KeyRing,
  { email, first_name, language }: { email: string; first_name: string; language: 'KR' | 'EN' },
) {
  const hash = keyRing.index('email', email)
  const person = { first_name, last_name: '', birthdate: '', gender: 'P' }
  const columns = ['id', 'token_epoch', 'blocked_at', 'email', 'language', 'national_code'] as const
  const added = await tx
    .insertInto('root_user')
    .values({
      ...encryptPerson(keyRing, 'root_user', person),
      // It reserves nothing among the addresses of parents, and nobody is found by it there.
      ...emailColumns(keyRing, email, true),
      clinician_email_hash: hash,
      email_confirmed_at: new Date(),
      is_phone_number_checked: false,
      is_signup_completed: true,
      register_type: CLINICIAN_ACCOUNT_TYPE,
      national_code: '',
      language,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(columns)
    .executeTakeFirst()
  if (added) return { account: added, isNew: true }
  const account = await tx
    .selectFrom('root_user')
    .select(columns)
    .where('clinician_email_hash', '=', hash)
    .forShare()
    .executeTakeFirst()
  return { account, isNew: false }
}
