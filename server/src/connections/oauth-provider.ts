import { createPrivateKey } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Provider, interactionPolicy } from 'oidc-provider'
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'
import type { Logger } from 'pino'
import type { Keys } from '../auth/keys.ts'
import { ACCESS_SECONDS } from '../auth/tokens.ts'
import { statement } from '../database/statement.ts'
import type { Database } from '../database/database.ts'
import { pageHeaders } from '../http/html-page.ts'
import { preferredLanguage } from '../http/language.ts'
import { scopes } from '../http/scope.ts'
import { secretAsKept } from './client.ts'
import { cookieSignatures } from './cookie-signatures.ts'
import { findGrant } from '../grants/grant.ts'
import { oauthAdapter } from './oauth-adapter.ts'
import { renderRefusal } from './consent-page-html.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Where the pages for sign-in and consent are; the id of what is under way follows. */
export const INTERACTION = '/oauth/interaction/'

export interface Surroundings {
  issuer: string
  database: Database
  keys: Pick<Keys, 'cookies' | 'signingSeed'>
  log: Logger
}

/**
 * Makes the authorization server (OAuth 2.1): authorization code with PKCE, refresh tokens that rotate, client credentials,
 * revocation and introspection. See docs/decisions/oauth-provider.md.
 */
export function createOauthProvider({ issuer, database, keys, log }: Surroundings): Provider {
  const { pathname, protocol } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const isSecure = protocol === 'https:'
  const cookies = { httpOnly: true, sameSite: 'lax', signed: true, secure: isSecure } as const
  const configuration: Configuration = {
    adapter: oauthAdapter(database),
    scopes: [...scopes],
    // There are no ID tokens, so nothing is ever signed with it, but the library asks for a key.
    jwks: { keys: [signingKey(keys.signingSeed)] },
    clientDefaults: { id_token_signed_response_alg: 'EdDSA' },
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'private_key_jwt', 'none'],
    cookies: {
      keys: cookieSignatures(keys.cookies),
      // By these prefixes browsers take them from https alone, the first from this host alone (RFC 6265bis, 4.1.3).
      names: {
        session: `${isSecure ? '__Host-' : ''}companion_oauth`,
        interaction: `${isSecure ? '__Secure-' : ''}companion_oauth_step`,
        resume: `${isSecure ? '__Secure-' : ''}companion_oauth_resume`,
      },
      long: cookies,
      short: cookies,
    },
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      revocation: '/oauth/revoke',
      introspection: '/oauth/introspect',
      jwks: '/oauth/jwks',
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      dPoP: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      introspection: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
    },
    pkce: { required: () => true },
    ttl: {
      AccessToken: ACCESS_SECONDS,
      ClientCredentials: ACCESS_SECONDS,
      AuthorizationCode: MINUTE,
      // Since it was last used; the end of the grant comes first where that is earlier.
      RefreshToken: 180 * DAY,
      Interaction: HOUR,
      Session: HOUR,
      Grant: DAY,
    },
    rotateRefreshToken: true,
    issueRefreshToken: (_ctx, client, source) =>
      client.grantTypeAllowed('refresh_token') && source.scopes.has('offline_access'),
    expiresWithSession: () => false,
    // Disconnecting from the client's side ends the grant. A code or refresh token that is used twice ends its tokens alone.
    revokeGrantPolicy: (ctx) =>
      ctx.oidc.route === 'revocation' && ctx.oidc.entities.RefreshToken !== undefined,
    allowOmittingSingleRegisteredRedirectUri: false,
    clientBasedCORS: (_ctx, origin, client) =>
      client.tokenEndpointAuthMethod === 'none' &&
      (client.redirectUris ?? []).some((uri) => URL.parse(uri)?.origin === origin),
    findAccount: (_ctx, id) => findAccount(database, Number(id)),
    loadExistingGrant: (ctx) => loadGrant(database, ctx),
    interactions: { url: (_ctx, { uid }) => `${path}${INTERACTION}${uid}`, policy: policy() },
    discovery: { service_documentation: `${issuer}/docs`, ui_locales_supported: ['ko', 'en'] },
    renderError(ctx, out) {
      if (ctx.oidc.route !== 'authorization' && ctx.oidc.route !== 'resume') {
        ctx.body = out
        return
      }
      ctx.set(pageHeaders)
      ctx.body = renderRefusal(preferredLanguage(ctx.req.headers), out)
    },
  }
  const provider = new Provider(issuer, configuration)
  // Whether the caller came by https is known from the configuration, whatever proxies stand in between; see `oauthListener`.
  provider.proxy = true
  provider.Client.prototype.compareClientSecret = compareWithHash
  provider.use(async (ctx, next) => {
    await next()
    if (ctx.status === 404 && ctx.body === undefined) {
      ctx.status = 404
      ctx.body = { error: 'invalid_request', error_description: 'unrecognized path or method' }
    }
    // The library always adds `openid`, which no client may have.
    if (ctx.path.startsWith('/.well-known/') && typeof ctx.body === 'object' && ctx.body)
      Reflect.set(ctx.body, 'scopes_supported', [...scopes])
  })
  provider.on('server_error', (_ctx, err) => log.error({ err }, 'unforeseen'))
  return provider
}

function compareWithHash(this: { clientSecret?: string }, given: string): boolean {
  return this.clientSecret === secretAsKept(given)
}

/** What comes before the seed in an Ed25519 key (PKCS #8, RFC 8410). */
const ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex')

const signingKey = (seed: Buffer) =>
  createPrivateKey({ key: Buffer.concat([ED25519, seed]), format: 'der', type: 'pkcs8' }).export({
    format: 'jwk',
  })

interface Found {
  token_epoch: number
}

const selectAccount = statement<Found>(
  'oauth-account',
  'SELECT token_epoch FROM root_user WHERE id = $1 AND deleted_at IS NULL AND blocked_at IS NULL',
)

async function findAccount({ query }: Database, id: number) {
  const [account] = await query(selectAccount, [id])
  const accountId = String(id)
  return account && { accountId, epoch: account.token_epoch, claims: () => ({ sub: accountId }) }
}

async function loadGrant(database: Database, { oidc }: KoaContextWithOIDC) {
  const { session, client, result, provider } = oidc
  const chosen = result?.consent?.grantId
  if (chosen) return provider.Grant.find(chosen)
  if (!session?.accountId || !client) return undefined
  const grant = await findGrant(database, {
    rootUserId: Number(session.accountId),
    clientId: client.clientId,
  })
  return grant && provider.Grant.find(String(grant.id))
}

/**
 * The library's own rules of when to ask for sign-in and consent. In addition, the sign-in of this browser ends when the
 * account's sessions end: `acr` holds the epoch in which it began.
 */
function policy() {
  const rules = interactionPolicy.base()
  rules.get('login')?.checks.add(
    new interactionPolicy.Check(
      'session_ended',
      'End-User authentication is required',
      'login_required',
      ({ oidc }) => {
        const { session, account } = oidc
        return session?.accountId !== undefined && String(account?.['epoch']) !== session.acr
      },
    ),
  )
  return rules
}

/** A handler of requests that answers as `provider` does. */
export function oauthListener(
  provider: Provider,
): (request: IncomingMessage, response: ServerResponse) => void {
  const { protocol } = new URL(provider.issuer)
  const answer = provider.callback()
  return (request, response) => {
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1)
    void answer(request, response)
  }
}
