import { once } from 'node:events'
import { createServer } from 'node:http'
import * as oauth from 'oauth4webapi'
import type { TokenHolder } from './requests.ts'

async function discover(url: string) {
  const insecure = { [oauth.allowInsecureRequests]: url.startsWith('http:') }
  const issuer = new URL(url)
  const metadata = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
  return { service: await oauth.processDiscoveryResponse(issuer, metadata), insecure }
}

/** Gets tokens for a service with a secret, which stand for all that parents have granted to it. */
export async function connectAsBackEnd(url: string, clientId: string, secret: string): Promise<TokenHolder> {
  const { service, insecure } = await discover(url)
  const client = { client_id: clientId }
  const auth = oauth.ClientSecretBasic(secret)
  const ask = async () => {
    const scope = 'child:read usage:read'
    const response = await oauth.clientCredentialsGrantRequest(service, client, auth, { scope }, insecure)
    return oauth.processClientCredentialsResponse(service, client, response)
  }
  let tokens = await ask()
  return {
    token: () => tokens.access_token,
    async renew() {
      tokens = await ask()
    },
  }
}

/** What a parent has granted, as tokens. To renew them is to use up the refresh token: keep the next pair before you go on. */
export interface Connection extends TokenHolder {
  /** Ends the grant, as the parent can do in the app. */
  disconnect: () => Promise<void>
}

/**
 * Asks a parent for consent: prints an address for their browser, and waits for its response at a port of this machine
 * (RFC 8252). A service on the web has an address of its own for the response, and keeps `state` and `verifier` with the
 * browser's session meanwhile.
 */
export async function connect(url: string, clientId: string, scope: string): Promise<Connection> {
  const { service, insecure } = await discover(url)
  const client = { client_id: clientId }
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()

  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const redirect = `http://127.0.0.1:${port}/callback`
  const ask = new URL(service.authorization_endpoint ?? '')
  ask.search = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirect,
    scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString()
  console.error(`Open ${ask.href}`)
  const reply = await new Promise<URL>((resolve) => {
    listener.on('request', (request, response) => {
      const target = new URL(request.url ?? '', redirect)
      response.end('You can close this page.')
      if (target.pathname === '/callback') resolve(target)
    })
  })
  listener.close()
  listener.closeAllConnections()

  // Compares `state` and `iss`, and throws if the parent has declined.
  const parameters = oauth.validateAuthResponse(service, client, reply, state)
  const response = await oauth.authorizationCodeGrantRequest(
    service,
    client,
    oauth.None(),
    parameters,
    redirect,
    verifier,
    insecure,
  )
  let tokens = await oauth.processAuthorizationCodeResponse(service, client, response)
  return {
    token: () => tokens.access_token,
    async renew() {
      const renewed = await oauth.refreshTokenGrantRequest(
        service,
        client,
        oauth.None(),
        tokens.refresh_token ?? '',
        insecure,
      )
      tokens = await oauth.processRefreshTokenResponse(service, client, renewed)
    },
    async disconnect() {
      const revoked = await oauth.revocationRequest(
        service,
        client,
        oauth.None(),
        tokens.refresh_token ?? '',
        insecure,
      )
      await oauth.processRevocationResponse(revoked)
    },
  }
}
