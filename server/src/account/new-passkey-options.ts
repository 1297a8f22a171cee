import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { creationOptions } from '../auth/passkey/passkey.ts'
import { challengeIdField, creationOptionsSchema } from '../auth/passkey/webauthn-json.ts'
import { noFieldsSchema } from '../http/fields.ts'
import { additionPurpose } from './passkey.ts'

export const newPasskeyOptions = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/user/passkey/options',
    right: 'self',
    accounts: 'clinicians',
    repeat: 'none',
    summary: 'Begin to add a passkey',
    description: '`options` are what `navigator.credentials.create()` takes; they are good for five minutes.',
  },
  [],
)
  .input(noFieldsSchema)
  .output(
    z
      .object({ challenge_id: challengeIdField, options: creationOptionsSchema })
      .meta({ id: 'PasskeyCreation', description: 'How to make a passkey' }),
  )
  .mutation(async ({ ctx }) => {
    const { rootUserId } = ctx.caller
    const { sql, keyRing } = ctx.database
    const { email } = await sql
      .selectFrom('root_user')
      .select('email')
      .where('id', '=', rootUserId)
      .executeTakeFirstOrThrow()
    const known = await sql
      .selectFrom('passkey')
      .select('credential_id')
      .where('root_user_id', '=', rootUserId)
      .execute()
    const challenge = await ctx.tokens.issueChallenge(additionPurpose(rootUserId))
    const options = await creationOptions(
      ctx,
      challenge,
      keyRing.decrypt('root_user.email', email) ?? '',
      known.map(({ credential_id }) => Buffer.from(credential_id)),
    )
    return { challenge_id: challenge.challenge_id, options }
  })
