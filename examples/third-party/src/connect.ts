import { once } from 'node:events'
import { createServer } from 'node:http'
import { refreshTokens } from '@companion/sdk/oauth'
import * as oauth from 'openid-client'

/**
 * Asks a parent for consent: prints an address for their browser, and waits for its response at a port of this machine
 * (RFC 8252). A service on the web has an address of its own for the response, and keeps state and verifier with the browser's
 * session meanwhile.
 */
export async function connect(baseUrl: string, clientId: string, scope: string) {
  const service = await oauth.discovery(new URL(baseUrl), clientId, undefined, oauth.None(), {
    algorithm: 'oauth2',
    execute: baseUrl.startsWith('http:') ? [oauth.allowInsecureRequests] : [],
  })
  const pkceCodeVerifier = oauth.randomPKCECodeVerifier()
  const expectedState = oauth.randomState()

  const listener = createServer().listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const redirect_uri = `http://127.0.0.1:${port}/callback`
  const question = oauth.buildAuthorizationUrl(service, {
    redirect_uri,
    scope,
    state: expectedState,
    code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  console.error(`Open ${question.href}`)
  const reply = await new Promise<URL>((resolve) => {
    listener.on('request', (request, response) => {
      const target = new URL(request.url ?? '', redirect_uri)
      response.end('You can close this page.')
      if (target.pathname === '/callback') resolve(target)
    })
  })
  listener.close()
  listener.closeAllConnections()

  // Compares `state` and `iss`, and throws if the parent has declined.
  const tokens = await oauth.authorizationCodeGrant(service, reply, { pkceCodeVerifier, expectedState })
  let refreshToken = tokens.refresh_token ?? ''
  return {
    /** A service that goes on keeps each refresh token in its database. */
    accessToken: refreshTokens({
      baseUrl,
      clientId,
      refreshToken,
      save: (next) => void (refreshToken = next),
    }),
    /** Ends the grant, as the parent can do in the app. */
    disconnect: () => oauth.tokenRevocation(service, refreshToken),
  }
}
