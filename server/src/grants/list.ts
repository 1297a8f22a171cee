import { z } from 'zod'
import { accountEndpoint } from '../auth/account-endpoint.ts'
import { statement } from '../database/statement.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import { noFieldsSchema } from '../http/fields.ts'
import { scopes } from '../http/scope.ts'

const moment = z.string().meta({ format: 'date-time' })

const grant = z
  .object({
    grant_id: z.int().meta({ description: 'The id of the grant', examples: [2] }),
    client: z
      .object({
        client_id: z
          .string()
          .meta({ description: 'The name of the service in OAuth', examples: ['sleep-study'] }),
        name: z.string().meta({ description: 'Its name', examples: ['Sleep study'] }),
        publisher: z.string().meta({ description: 'Who offers it', examples: ['University Hospital'] }),
        url: z
          .string()
          .meta({ description: 'Where it presents itself', examples: ['https://study.example.org'] }),
      })
      .meta({ id: 'GrantedClient', description: 'The service that was let in' }),
    scopes: z.array(z.enum(scopes)).meta({ description: 'What it may do' }),
    real_user_ids: z
      .array(z.int())
      .meta({ description: 'The children whose data it may reach', examples: [[1]] }),
    granted_at: moment.meta({ description: 'When it was granted' }),
    expires_at: moment.nullable().meta({ description: 'When it ends; null if only by being ended' }),
    last_used_at: moment
      .nullable()
      .meta({ description: 'When the service last called, to the minute; null if it never has' }),
  })
  .meta({ id: 'Grant', description: 'What the account has granted another service' })

const selectGrants = statement<z.infer<typeof grant>>(
  'grants',
  `SELECT g.id AS grant_id, g.scopes,
     json_build_object('client_id', c.client_id, 'name', c.name, 'publisher', c.publisher, 'url', c.url) AS client,
     ARRAY(SELECT real_user_id FROM access_grant_child WHERE grant_id = g.id ORDER BY 1) AS real_user_ids,
     ${isoTimestampSql('g.granted_at')} AS granted_at, ${isoTimestampSql('g.expires_at')} AS expires_at,
     ${isoTimestampSql('g.last_used_at')} AS last_used_at
   FROM access_grant g JOIN client c ON c.id = g.client_id
   WHERE g.root_user_id = $1 AND grant_in_force(g.ended_at, g.expires_at, $2)
   ORDER BY g.granted_at DESC, g.id DESC`,
)

export const list = accountEndpoint(
  {
    method: 'GET',
    path: '/api/v1/beta/grant',
    right: 'self',
    summary: "The services that may reach data of the account's children",
    description: 'Newest first. Those that were ended or have expired are left out.',
  },
  [],
)
  .input(noFieldsSchema)
  .output(z.array(grant))
  .query(async ({ ctx }) => {
    const granted = await ctx.database.query(selectGrants, [ctx.caller.rootUserId, new Date()])
    for (const child of granted.flatMap(({ real_user_ids }) => real_user_ids)) ctx.touches(child)
    return granted
  })
