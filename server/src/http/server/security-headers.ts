import type { IncomingMessage, RequestListener } from 'node:http'
import cors from 'cors'
import helmet from 'helmet'
import type { Config } from '../../config/config.ts'
import { isDeviceCall } from '../device-error.ts'
import { splitRequestTarget } from '../request.ts'

/** The headers that the service sets and that a page could not read otherwise (Fetch, "CORS-safelisted response-header name"). */
export const exposedHeaders = [
  'Accept-Ranges',
  'Allow',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Location',
  'Content-Range',
  'ETag',
  'Idempotency-Replayed',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Error',
  'X-Firmware-Id',
  'X-Progress',
  'X-Request-Id',
  'X-Webhook-Fault',
].join(', ')

/** The value of `Access-Control-Allow-Origin` for a page of `origin`; undefined if it may not read the response. */
export function allowedOrigin(
  corsOrigins: readonly string[],
  origin: string | undefined,
): string | undefined {
  if (corsOrigins.includes('*')) return '*'
  return origin !== undefined && corsOrigins.includes(origin) ? origin : undefined
}

const allowFrom = (origin: '*' | string[]) =>
  cors({
    origin,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: exposedHeaders,
    maxAge: 600,
  })

/** Apps in browsers, which nobody here knows by their origin, call these with tokens of their own. */
const isForEveryOrigin = (request: IncomingMessage) =>
  /^\/(?:fhir(?:\/|$)|oauth\/token$)/.test(splitRequestTarget(request).path)

/**
 * Wraps `listener`: adds security headers to every response but those to devices, and allows calls (CORS) from pages of the configured origins.
 * Browsers attach no credentials by themselves to such a call: tokens travel in a header, and there are no cookies.
 */
export function withSecurityHeaders(
  { publicUrl, corsOrigins }: Pick<Config, 'publicUrl' | 'corsOrigins'>,
  listener: RequestListener,
): RequestListener {
  const secure = helmet({
    // JSON responses load nothing and belong in no frame; pages replace this policy with their own.
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], baseUri: ["'none'"], frameAncestors: ["'none'"] },
    },
    // Insist on https only if the service is reached by https.
    strictTransportSecurity: publicUrl?.startsWith('https:') ?? false,
    xFrameOptions: { action: 'deny' },
    // These concern only pages or obsolete browsers, and each header is measurable on small answers.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    // The header is never set, so there is none to remove.
    xPoweredBy: false,
  })
  const allow = allowFrom(corsOrigins.includes('*') ? '*' : [...corsOrigins])
  const allowEverybody = allowFrom('*')
  return (request, response) => {
    // Nobody may cache health data and tokens (RFC 6749, 5.1); cacheable answers replace this header.
    response.setHeader('cache-control', 'no-store')
    const answer = () => {
      // An OPTIONS request that is not a preflight asks for `Allow`.
      const isPlain = request.method === 'OPTIONS' && !request.headers['access-control-request-method']
      if (isPlain) listener(request, response)
      else if (isForEveryOrigin(request)) allowEverybody(request, response, () => listener(request, response))
      else if (corsOrigins.length === 0) listener(request, response)
      else allow(request, response, () => listener(request, response))
    }
    if (isDeviceCall(request)) answer()
    else secure(request, response, answer)
  }
}
