import type { IncomingMessage, ServerResponse } from 'node:http'
import { Provider, interactionPolicy } from 'oidc-provider'
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'
import type { Logger } from 'pino'
import type { Keys } from '../auth/keys.ts'
import { ACCESS_SECONDS } from '../auth/tokens/tokens.ts'
import { statement } from '../database/statement.ts'
import type { Database } from '../database/database.ts'
import { ed25519Key } from '../encryption/ed25519-key.ts'
import { pageHeaders } from '../http/html-page.ts'
import { preferredLanguage } from '../http/language.ts'
import { splitRequestTarget } from '../http/request.ts'
import { scopeNames } from '../http/scope-names.ts'
import { metadataOf } from './metadata.ts'
import { assertAssertion } from './client-assertion.ts'
import { assertAudience, assertScopes } from './asked-scopes.ts'
import { FHIR_PATH, fhirUser, patientOf } from './launch-context.ts'
import { PREVIOUS_SECRET_FIELD, secretAsKept } from './client.ts'
import { cookieSignatures } from './cookie-signatures.ts'
import { findGrant } from '../grants/grant.ts'
import { oauthAdapter } from './adapter.ts'
import { renderError } from './consent/html.ts'
import { readBrowserId, setBrowserCookie } from './browser.ts'
import { saveStepRedirect } from './resume.ts'
import { INTERACTION_PATH } from './step.ts'

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export interface Dependencies {
  issuer: string
  database: Database
  keys: Pick<Keys, 'cookies' | 'signingSeed'>
  log: Logger
}

/**
 * Makes the authorization server (OAuth 2.1): authorization code with PKCE, refresh tokens that rotate, client credentials,
 * revocation and introspection. See docs/decisions/oauth-provider.md.
 */
export function createOauthProvider({ issuer, database, keys, log }: Dependencies): Provider {
  const { pathname, protocol } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const isSecure = protocol === 'https:'
  const cookies = { httpOnly: true, sameSite: 'lax', signed: true, secure: isSecure } as const
  const configuration: Configuration = {
    adapter: oauthAdapter(database),
    scopes: [...scopeNames],
    claims: { openid: ['sub'], fhirUser: ['fhirUser'] },
    // There is no other place where a service could ask for it.
    conformIdTokenClaims: false,
    jwks: { keys: [ed25519Key(keys.signingSeed).export({ format: 'jwk' })] },
    clientDefaults: { id_token_signed_response_alg: 'EdDSA' },
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    extraClientMetadata: { properties: [PREVIOUS_SECRET_FIELD] },
    cookies: {
      keys: cookieSignatures(keys.cookies),
      // By this prefix browsers take it from https and from this host alone (RFC 6265bis, 4.1.3.2).
      names: { session: `${isSecure ? '__Host-' : ''}companion_oauth`, ...stepCookies },
      long: cookies,
      // These never leave: one cookie of ours says which browser a step is of.
      short: { signed: false },
    },
    routes: {
      authorization: '/oauth/authorize',
      token: TOKEN,
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
      IdToken: HOUR,
      Interaction: HOUR,
      Session: HOUR,
      Grant: DAY,
    },
    rotateRefreshToken: true,
    issueRefreshToken: (_ctx, client, source) =>
      client.grantTypeAllowed('refresh_token') &&
      (source.scopes.has('offline_access') || source.scopes.has('online_access')),
    // With `online_access` alone it is good as long as the sign-in of the browser.
    expiresWithSession: (_ctx, { scopes }) => scopes.has('online_access') && !scopes.has('offline_access'),
    // Disconnecting from the client's side ends the grant. A code or refresh token that is used twice ends its tokens alone.
    revokeGrantPolicy: (ctx) =>
      ctx.oidc.route === 'revocation' && ctx.oidc.entities.RefreshToken !== undefined,
    allowOmittingSingleRegisteredRedirectUri: false,
    clientBasedCORS: (_ctx, origin, client) =>
      client.tokenEndpointAuthMethod === 'none' &&
      (client.redirectUris ?? []).some((uri) => URL.parse(uri)?.origin === origin),
    findAccount: (_ctx, id) => findAccount(database, Number(id), issuer),
    loadExistingGrant: (ctx) => loadGrant(database, ctx),
    interactions: {
      async url(ctx, interaction) {
        const browser = readBrowserId(ctx.req, issuer) ?? setBrowserCookie(ctx.res, issuer)
        if (interaction.cid !== browser) {
          interaction.cid = browser
          await interaction.persist()
        }
        return `${path}${INTERACTION_PATH}${interaction.uid}`
      },
      policy: policy(),
    },
    // As they were sent: the library leaves out what it does not know.
    extraParams: {
      scope: ({ query }) => assertScopes(textOf(query['scope'])),
      aud: ({ query }, aud) => assertAudience(textOf(query['scope']), aud, `${issuer}${FHIR_PATH}`),
    },
    extraTokenClaims(ctx, { kind }) {
      if (kind === 'ClientCredentials') assertScopes(textOf(ctx.oidc.body?.['scope']))
      return undefined
    },
    assertJwtClientAuthClaimsAndHeader: ({ oidc }, claims) =>
      assertAssertion(claims, oidc.urlFor('token'), issuer),
    enabledJWA: { clientAuthSigningAlgValues: ASSERTION_ALGORITHMS },
    renderError(ctx, out) {
      if (ctx.oidc.route !== 'authorization' && ctx.oidc.route !== 'resume') {
        ctx.body = out
        return
      }
      ctx.set(pageHeaders)
      ctx.body = renderError(preferredLanguage(ctx.req.headers), out)
    },
  }
  const provider = new Provider(issuer, configuration)
  // Whether the caller came by https is known from the configuration, whatever proxies stand in between; see `oauthListener`.
  provider.proxy = true
  provider.Client.prototype.compareClientSecret = compareWithHash
  provider.use(async (ctx, next) => {
    await next()
    const cookies = headerLines(ctx.res, 'set-cookie').filter((line) => !isStepCookie(line))
    if (cookies.length > 0) ctx.res.setHeader('set-cookie', cookies)
    else ctx.res.removeHeader('set-cookie')
    const [, uid] = /^\/oauth\/authorize\/([\w-]+)$/.exec(ctx.path) ?? []
    const [location] = headerLines(ctx.res, 'location')
    if (uid !== undefined)
      await saveStepRedirect(database, uid, location === undefined ? undefined : { location, cookies })
    nameRegisteredWay(ctx)
    if (ctx.path === TOKEN && ctx.status === 200) await addPatient(database, ctx)
    if (ctx.status === 404 && ctx.body === undefined) {
      ctx.status = 404
      ctx.body = { error: 'invalid_request', error_description: 'unrecognized path or method' }
    }
    if (ctx.path.startsWith('/.well-known/') && ctx.status === 200)
      ctx.body = metadataOf(Object(ctx.body), issuer, ctx.path.endsWith('openid-configuration'))
  })
  provider.on('grant.error', (ctx, { error_detail }) => (ctx.state['detail'] = error_detail))
  provider.on('server_error', (_ctx, err) => log.error({ err }, 'unhandled error'))
  return provider
}

/** By which a client may sign what proves who it is. */
export const ASSERTION_ALGORITHMS = ['ES256', 'ES384', 'EdDSA', 'PS256', 'RS256', 'RS384'] as const

const TOKEN = '/oauth/token'

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

const headerLines = (response: ServerResponse, name: string) =>
  [response.getHeader(name) ?? []].flat().map(String)

/** The names that the library keeps the id of a step under. */
const stepCookies = { interaction: 'companion_oauth_step', resume: 'companion_oauth_resume' }
const isStepCookie = (line: string) => Object.values(stepCookies).some((name) => line.startsWith(`${name}=`))

interface WithSecret {
  clientSecret?: string
  clientAuthMethod?: string
  [PREVIOUS_SECRET_FIELD]?: unknown
}

/** The library takes a secret by header and body alike; a client is registered for one of them (RFC 7591, 2). */
function compareWithHash(this: WithSecret, given: string): boolean {
  const kept = secretAsKept(given)
  const isPosted = Provider.ctx?.oidc.params?.['client_secret'] !== undefined
  if (isPosted !== (this.clientAuthMethod === 'client_secret_post')) return false
  return this.clientSecret === kept || this[PREVIOUS_SECRET_FIELD] === kept
}

/** How a client has to say who it is, in words for its developer. */
const registered: Record<string, string> = {
  client_secret_basic: 'by HTTP Basic (client_secret_basic)',
  client_secret_post: 'by its secret in the body (client_secret_post)',
  private_key_jwt: 'by an assertion that its own key has signed (private_key_jwt)',
  none: 'without a secret (none)',
}

interface Refused {
  body?: unknown
  oidc?: KoaContextWithOIDC['oidc']
  state: Record<string, unknown>
}

/** Tells a client that was not believed which way it is registered for, and what is wrong with what it has signed. */
function nameRegisteredWay({ body, oidc, state: { detail } }: Refused): void {
  const method = String(oidc?.entities.Client?.['clientAuthMethod'])
  const way = registered[method]
  if (way === undefined || Reflect.get(Object(body), 'error') !== 'invalid_client') return
  const reason = method === 'private_key_jwt' && typeof detail === 'string' ? `: ${detail}` : ''
  Reflect.set(
    Object(body),
    'error_description',
    `client authentication failed; this client is registered to do it ${way}${reason}`,
  )
}

interface Found {
  token_epoch: number
}

const selectAccount = statement<Found>(
  'oauth-account',
  'SELECT u.token_epoch FROM root_user u WHERE u.id = $1 AND is_active_account(u)',
)

async function findAccount({ query }: Database, id: number, issuer: string) {
  const [account] = await query(selectAccount, [id])
  const accountId = String(id)
  const claims = { sub: accountId, fhirUser: fhirUser(issuer, id) }
  return account && { accountId, epoch: account.token_epoch, claims: () => claims }
}

/** Tells a service which child was chosen, where it has asked to be told (SMART App Launch, "Launch context"). */
async function addPatient(
  database: Database,
  { body, oidc }: { body?: unknown; oidc?: KoaContextWithOIDC['oidc'] },
): Promise<void> {
  const answer = Object(body)
  const names = String(Reflect.get(answer, 'scope') ?? '').split(' ')
  const grantId = oidc?.entities.Grant?.jti
  if (grantId === undefined || !names.includes('launch/patient')) return
  const patient = await patientOf(database, Number(grantId))
  if (patient !== undefined) Reflect.set(answer, 'patient', patient)
}

async function loadGrant(database: Database, { oidc }: KoaContextWithOIDC) {
  const { session, client, result, provider } = oidc
  const chosen = result?.consent?.grantId
  if (chosen) return withoutRefused(await provider.Grant.find(chosen), oidc.requestParamScopes)
  if (!session?.accountId || !client) return undefined
  const grant = await findGrant(database, {
    rootUserId: Number(session.accountId),
    clientId: client.clientId,
  })
  return grant && provider.Grant.find(String(grant.id))
}

/** A grant that has just been given: what the parent has refused of the request is not asked for at once again. */
function withoutRefused(
  grant: InstanceType<Provider['Grant']> | undefined,
  asked: ReadonlySet<string>,
): InstanceType<Provider['Grant']> | undefined {
  const granted = new Set(grant?.getOIDCScope().split(' '))
  const refused = [...asked].filter((scope) => !granted.has(scope))
  if (refused.length > 0) grant?.rejectOIDCScope(refused)
  return grant
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

/** A handler of requests that answers as `provider` does; to one about a step, as to the browser of the step. */
export function oauthListener(
  provider: Provider,
): (request: IncomingMessage, response: ServerResponse, uid?: string) => void {
  const { protocol, host } = new URL(provider.issuer)
  const answer = provider.callback()
  return (request, response, uid) => {
    const { headers } = request
    // The library makes addresses from these. They are the issuer's, whatever a caller or a proxy says.
    headers.host = host
    headers['x-forwarded-proto'] = protocol.slice(0, -1)
    for (const name of ['x-forwarded-host', 'forwarded']) delete headers[name]
    // Nor the address that a target of absolute form names (RFC 9112, 3.2.2).
    const { path, query } = splitRequestTarget(request)
    const url = query === '' ? path : `${path}?${query}`
    Object.assign(request, { url, originalUrl: url })
    if (uid !== undefined) headers.cookie = `${stepCookies.resume}=${uid}; ${headers.cookie ?? ''}`
    void answer(request, response)
  }
}
