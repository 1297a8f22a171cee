import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { statement } from '../database/statement.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import { noFieldsSchema } from '../http/fields.ts'
import { passkeySchema } from './passkey.ts'

const selectPasskeys = statement<z.infer<typeof passkeySchema>>(
  'passkeys',
  `SELECT id AS passkey_id, name, ${isoTimestampSql('created_at')} AS created_at, ${isoTimestampSql('last_used_at')} AS last_used_at
   FROM passkey WHERE root_user_id = $1 ORDER BY id`,
)

export const listPasskeys = accountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/user/passkey',
    right: 'self',
    accounts: 'clinicians',
    summary: 'The passkeys of the account',
    description: 'In the order in which they were added.',
  },
  [],
)
  .input(noFieldsSchema)
  .output(z.array(passkeySchema))
  .query(async ({ ctx }) => {
    const found = await ctx.database.query(selectPasskeys, [ctx.caller.rootUserId])
    return found.map((each) => ({ ...each, name: ctx.database.keyRing.decrypt('passkey.name', each.name) }))
  })
