import { z } from 'zod'

const tokenResponse = z.object({
  access_token: z.string().meta({ description: 'For `Authorization: Bearer`.' }),
  expires_in: z.int().meta({ description: 'Seconds the access token lives.' }),
  refresh_token: z.string().meta({ description: 'For one call of refresh-token.' }),
  refresh_expires_in: z.int().meta({ description: 'Seconds the refresh token lives.' }),
  token_type: z.literal('bearer'),
})

/** The response to sign-in and sign-up: `id` is the account's integer id. */
export const sessionResponseSchema = tokenResponse
  .extend({ id: z.int().meta({ description: 'The id of the account' }) })
  .meta({ id: 'Tokens', description: 'A session: a pair of tokens' })

/** The response to a refresh: `id` is the account's uuid. */
export const refreshedResponse = tokenResponse
  .extend({
    id: z.uuid().meta({
      description: "The account's uuid, and not its id",
      examples: ['4f1c2a90-8d3e-4b7a-9c55-1e2d3f4a5b6c'],
    }),
  })
  .meta({ id: 'RefreshedTokens', description: 'A session with its next pair of tokens' })
