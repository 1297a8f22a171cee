import { randomBytes } from 'node:crypto'
import type { AdapterPayload } from 'oidc-provider'
import { tokenHash } from '../auth/tokens/tokens.ts'
import { statement } from '../database/statement.ts'
import type { Database } from '../database/database.ts'
import { isoTimestampSql } from '../database/wire-time.ts'
import { contextScopes, namesWithin } from '../http/scope-names.ts'
import type { Scope } from '../http/scope.ts'

/** Another service that may ask parents for their consent. */
export interface Client {
  id: number
  /** Its name in OAuth. */
  client_id: string
  name: string
  publisher: string
  url: string
  /** Where its operators are told of issues, an e-mail address. */
  contact: string
  redirect_uris: string[]
  scopes: Scope[]
  is_public: boolean
  secret_hash: Buffer | null
  /** Whether it sends its secret in the body (`client_secret_post`) rather than by HTTP Basic. */
  is_secret_in_body: boolean
  /** That of the secret before, while it is still good. */
  previous_secret_hash: Buffer | null
  jwks: { keys: object[] } | null
  /** ISO 8601 in UTC, as is the other. */
  blocked_at: string | null
  created_at: string
}

export type NewClient = Pick<
  Client,
  'name' | 'publisher' | 'url' | 'contact' | 'redirect_uris' | 'scopes' | 'is_public' | 'jwks'
> & {
  /** False if it is left out. */
  is_secret_in_body?: boolean
  /** Made by chance if it is left out. */
  client_id?: string
}

/** SQL for the columns of a `client c`. */
export const CLIENT_COLUMNS = `c.id, c.client_id, c.name, c.publisher, c.url, c.contact, c.redirect_uris, c.scopes, c.is_public,
  c.secret_hash, c.is_secret_in_body, c.jwks,
  CASE WHEN c.previous_secret_until > now() THEN c.previous_secret_hash END AS previous_secret_hash, ${isoTimestampSql('c.blocked_at')} AS blocked_at, ${isoTimestampSql('c.created_at')} AS created_at`

const selectClient = statement<Client>(
  'oauth-client',
  `SELECT ${CLIENT_COLUMNS} FROM client c WHERE c.client_id = $1`,
)

export async function findClient(database: Database, clientId: string): Promise<Client | undefined> {
  const [client] = await database.query(selectClient, [clientId])
  return client
}

/** A secret of a client, and how it is kept. */
export function newSecret(): { secret: string; hash: Buffer } {
  const secret = randomBytes(32).toString('base64url')
  return { secret, hash: tokenHash(secret) }
}

/** How the library compares secrets, of which only the hash is kept. */
export const secretAsKept = (secret: string): string => tokenHash(secret).toString('base64url')

/** Where the library keeps the secret before a rotation, as it is kept. */
export const PREVIOUS_SECRET_FIELD = 'previous_secret'

const isNative = (uri: string) => !uri.startsWith('https:')

/** A client in the words of OAuth Dynamic Client Registration (RFC 7591), as the library reads it. */
export function clientMetadata(client: Client): AdapterPayload {
  const { redirect_uris, is_public, jwks, secret_hash, previous_secret_hash: previous } = client
  const asksParents = redirect_uris.length > 0
  return {
    client_id: client.client_id,
    client_name: client.name,
    redirect_uris,
    // It may ask for what it is registered for by each name, and without asking parents for no more than data.
    scope: [...namesWithin(client.scopes), ...(asksParents ? contextScopes : [])].join(' '),
    // Only for native clients may the port of a loopback address differ (RFC 8252, 7.3).
    application_type: redirect_uris.some(isNative) ? 'native' : 'web',
    response_types: asksParents ? ['code'] : [],
    response_modes: ['query'],
    grant_types: [
      ...(asksParents ? ['authorization_code', 'refresh_token'] : []),
      ...(is_public ? [] : ['client_credentials']),
    ],
    ...(is_public
      ? { token_endpoint_auth_method: 'none' }
      : jwks
        ? { token_endpoint_auth_method: 'private_key_jwt', jwks }
        : {
            token_endpoint_auth_method: client.is_secret_in_body
              ? 'client_secret_post'
              : 'client_secret_basic',
            client_secret: (secret_hash ?? Buffer.alloc(0)).toString('base64url'),
            ...(previous ? { [PREVIOUS_SECRET_FIELD]: previous.toString('base64url') } : {}),
          }),
  }
}
