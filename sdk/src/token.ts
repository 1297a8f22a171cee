import type { TokenCompanion, TokenOptions } from '@companion/sdk'
import { downloadByFetch } from './download.ts'
import { openModules } from './operations/modules.ts'
import { createClientFactory } from './service-clients.ts'
import { callsWithAccessToken } from './calls-with-access-token.ts'

/*
 * The client with an access token alone, at half the size: what only sessions and the outbox need is not in it, nor is tRPC. It
 * imports nothing.
 */

export { CompanionError, CursorLost, errorResponseOf, isOffline, isSignedOut, safe } from '@companion/sdk'
export type { AccessTokenProvider, TokenOptions } from '@companion/sdk'

/** The operations of the service with an access token, as `createCompanion` of `@companion/sdk` gives them, without `trpc`. */
export type TokenCompanionWithoutTrpc = Omit<TokenCompanion, 'trpc'>

/** Makes a client of the service that calls with an access token. On a server, make one for each visitor. */
export const createCompanion = ({ accessToken, ...options }: TokenOptions): TokenCompanionWithoutTrpc =>
  openModules(createClientFactory(options, downloadByFetch).clientOf(callsWithAccessToken(accessToken)))
