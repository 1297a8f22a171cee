import { sql as raw } from 'kysely'
import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { recordSecurityEvent } from '../auth/security-record.ts'
import { Failure } from '../errors/failure.ts'
import { accountErrors } from '../errors/generic.ts'
import { booleanField } from '../http/fields.ts'
import {
  consentEntrySchema,
  consentKindSchema,
  consentVersionSchema,
  toConsentEntry,
} from './consent-entry.ts'

export const giveConsent = accountEndpoint(
  {
    method: 'POST',
    path: '/api/v1/beta/user/consent',
    right: 'self',
    summary: 'Give or withdraw consent to a version of a text',
    description: `The ledger keeps every change. To say again what is in force changes nothing. Where the service asks for a version,
\`need_personal_info_update\` of \`GET /api/v1/beta/user/me\` is true until that version is given.`,
  },
  [],
)
  .input(
    z.object({
      kind: consentKindSchema.meta({ description: 'The text that was shown' }),
      version: consentVersionSchema.meta({
        description: 'The version that was shown',
        examples: ['2026-11'],
      }),
      given: booleanField.meta({ description: 'false withdraws' }),
    }),
  )
  .output(consentEntrySchema)
  .mutation(async ({ ctx, input: { kind, version, given } }) =>
    ctx.database.transaction(async (sql) => {
      const { rootUserId } = ctx.caller
      const account = await sql
        .selectFrom('root_user')
        .select('id')
        .where('id', '=', rootUserId)
        .where('deleted_at', 'is', null)
        .forNoKeyUpdate()
        .executeTakeFirst()
      if (!account) throw new Failure(...accountErrors[1])
      const last = await sql
        .selectFrom('consent')
        .select(['kind', 'version', 'new_value', 'source', 'recorded_at'])
        .where('root_user_id', '=', rootUserId)
        .where('kind', '=', kind)
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst()
      if (last?.version === version && last.new_value === given) return toConsentEntry(last)
      const entry = {
        root_user_id: rootUserId,
        kind,
        version,
        old_value: last?.new_value ?? null,
        new_value: given,
        source: 'app',
        recorded_at: new Date(),
      }
      await sql.insertInto('consent').values(entry).execute()
      await sql
        .updateTable('root_user')
        .set({
          given_versions: given
            ? raw`given_versions || jsonb_build_object(${kind}::text, ${version}::text)`
            : raw`given_versions - ${kind}::text`,
        })
        .where('id', '=', rootUserId)
        .execute()
      const reason = `${kind} ${given ? 'given' : 'withdrawn'}`
      await recordSecurityEvent(sql, ctx, { action: 'consent_change', rootUserId, reason })
      return toConsentEntry(entry)
    }),
  )
