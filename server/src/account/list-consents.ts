import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { noFieldsSchema } from '../http/fields.ts'
import { consentEntrySchema, toConsentEntry } from './consent-entry.ts'

const MOST_ENTRIES = 1000

export const listConsents = accountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/user/consent',
    right: 'self',
    summary: 'What the account holder has consented to, and when',
    description: `Every change of a consent, the newest first, at most the ${MOST_ENTRIES} newest. The first entry of a kind is in force.`,
  },
  [],
)
  .input(noFieldsSchema)
  .output(z.array(consentEntrySchema))
  .query(async ({ ctx }) => {
    const entries = await ctx.database.sql
      .selectFrom('consent')
      .select(['kind', 'version', 'new_value', 'source', 'recorded_at'])
      .where('root_user_id', '=', ctx.caller.rootUserId)
      .orderBy('id', 'desc')
      .limit(MOST_ENTRIES)
      .execute()
    return entries.map(toConsentEntry)
  })
