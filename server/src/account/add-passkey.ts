import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { lockAccount } from '../auth/account-lock.ts'
import { notifyAccountHolder } from '../auth/notice.ts'
import { passkeyNotValid, storePasskey, verifyNewPasskey } from '../auth/passkey/passkey.ts'
import { challengeIdField, newCredentialSchema } from '../auth/passkey/webauthn-json.ts'
import { recordSecurityEvent } from '../auth/security-record.ts'
import { Failure } from '../errors/failure.ts'
import { accountErrors } from '../errors/generic.ts'
import { additionPurpose, passkeyNameField, passkeySchema } from './passkey.ts'
import { useToken } from '../auth/tokens/use-token.ts'

export const addPasskey = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/user/passkey',
    right: 'self',
    accounts: 'clinicians',
    summary: 'Add a passkey',
    description: 'The holder gets a notice by mail.',
  },
  [passkeyNotValid],
)
  .input(
    z.object({
      challenge_id: challengeIdField,
      credential: newCredentialSchema,
      name: passkeyNameField
        .nullish()
        .meta({ description: 'By which its holder tells it from others', examples: ['Office laptop'] }),
    }),
  )
  .output(passkeySchema)
  .mutation(async ({ ctx, input: { challenge_id, credential, name } }) => {
    const { rootUserId } = ctx.caller
    const challenge = await ctx.tokens.verifyChallenge(additionPurpose(rootUserId), challenge_id)
    const made = challenge && (await verifyNewPasskey(ctx, challenge.challenge, credential))
    if (!made) throw ctx.failure(...passkeyNotValid)
    const { account, id, created_at } = await ctx.database.transaction(async (tx) => {
      const account = await lockAccount(tx, rootUserId)
      // It was there when the token was checked: a parallel call has deleted it.
      if (!account) throw new Failure(...accountErrors[1])
      if (!(await useToken(tx, challenge))) throw ctx.failure(...passkeyNotValid)
      const sealed = ctx.database.keyRing.encrypt('passkey.name', name || null)
      const stored = await storePasskey(tx, rootUserId, made, sealed)
      await recordSecurityEvent(tx, ctx, {
        action: 'passkey_add',
        rootUserId,
        reason: `passkey ${stored.id}`,
      })
      return { account, ...stored }
    })
    await notifyAccountHolder(ctx, 'passkey_added', account)
    return { passkey_id: id, name: name || null, created_at: created_at.toISOString(), last_used_at: null }
  })
